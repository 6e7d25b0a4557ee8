// SPDX-License-Identifier: Apache-2.0
#include "simulation/rate_turn.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "simulation/stamped_steps.hpp"

namespace turnstile::simulation {

void rate_turn::start(script& by, std::string path, detail::rate_record&& rule,
                      testing::simulated_entry&& entry) {
    const std::shared_ptr<rate_turn> own{
        new rate_turn{by, std::move(path), std::move(rule), std::move(entry)}};
    own->lock();
}

rate_turn::rate_turn(script& by, std::string path, detail::rate_record&& rule,
                     testing::simulated_entry&& entry)
    : script_{by}, path_{std::move(path)}, rule_{std::move(rule)}, entry_{std::move(entry)} {}

void rate_turn::lock() {
    core::acquire request;
    request.settings.folder = path_;
    testing::simulated_call call;
    call.on_granted = [self = shared_from_this()](fencing_token) { self->look(); };
    call.on_failed = [self = shared_from_this()](const error& why) { self->finish(why); };
    call.on_lost = [self = shared_from_this()](const error& why) { self->finish(why); };
    call_ = script_.acquire(std::move(request), std::move(call));
}

void rate_turn::look() {
    if (!script_.holds(call_)) return finish(error{errc::closed, path_ + ": its client is closed"});
    read_stamped(script_, path_ + "-record", [self = shared_from_this()](const auto& found) {
        if (!found) return self->finish(found.error());
        self->learn_now(*found);
    });
}

void rate_turn::learn_now(const detail::stamped_data& found) {
    ask_time(script_, call_, [self = shared_from_this(), found](const auto& now) {
        if (now.has_error()) return self->finish(now.error());
        self->decide(found, *now);
    });
}

void rate_turn::decide(const detail::stamped_data& found, std::int64_t now) {
    auto record = rule_;
    if (found.exists()) {
        auto kept = detail::record_of(rule_, found, path_);
        if (!kept) return finish(kept.error());
        record = std::move(*kept);
    }
    detail::forget_old(record, now);
    const auto wait = std::max<std::int64_t>(detail::wait_for_room(record, now), 0);
    if (wait == 0) {
        write_stamped(script_, call_, path_ + "-record", found, record.to_string(),
                      [self = shared_from_this()](const auto& outcome) { self->finish(outcome); });
    } else if (entry_.attempt == testing::simulated_attempt::once) {
        finish(detail::no_room(record, wait, path_));
    } else {
        script_.call_while_held(call_, std::chrono::milliseconds{wait},
                                [self = shared_from_this()] { self->look(); });
    }
}

void rate_turn::finish(const result<void>& outcome) {
    if (std::exchange(over_, true)) return;
    script_.release(call_);
    if (entry_.done) entry_.done(outcome);
}

}  // namespace turnstile::simulation
