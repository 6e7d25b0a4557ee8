// SPDX-License-Identifier: Apache-2.0
#include "client/listeners.hpp"

#include <algorithm>
#include <utility>

#include "client/internals.hpp"

namespace turnstile::detail {

namespace {

// If at least this many changes are undelivered, a new change replaces the last undelivered change. Exceptions: the
// last change belongs to another session, or must_be_told() is true for the last change's state.
constexpr std::size_t k_unmerged = 64;

bool must_be_told(session_state state) {
    return state == session_state::lost || state == session_state::auth_failed ||
           state == session_state::closed;
}

}  // namespace

struct listeners::numbered_listener {
    explicit numbered_listener(function told) : listener{std::move(told)} {}

    listener_entry<const session_change&> listener;
    std::uint64_t after = 0;  // number of the last change before the registration
};

void listeners::publish(const session_change& step) {
    const base::lock_guard lock{mutex_};
    if (step.session == 0 && step.to == session_state::closed) closed_ = step;
    const auto number = ++published_;
    if (pending_.size() >= k_unmerged) {
        auto& last = pending_.back();
        if (last.step.session == step.session && !must_be_told(last.step.to)) {
            last.number = number;
            last.step.to = step.to;
            last.step.epoch = step.epoch;
            return;
        }
    }
    pending_.push_back({number, step});
    callbacks_->post([self = shared_from_this()] { self->deliver(); });
}

void listeners::deliver() {
    numbered next;
    std::vector<std::shared_ptr<numbered_listener>> now;
    {
        const base::lock_guard lock{mutex_};
        next = pending_.front();
        pending_.pop_front();
        std::erase_if(registered_, [](const auto& entry) { return entry.expired(); });
        for (const auto& entry : registered_) now.push_back(entry.lock());
    }
    for (const auto& entry : now)
        if (entry && entry->after < next.number) entry->listener.call(next.step);
}

listener_handle listeners::add(function listener) {
    auto entry = std::make_shared<numbered_listener>(std::move(listener));
    {
        const base::lock_guard lock{mutex_};
        entry->after = published_;
        registered_.push_back(entry);
        if (closed_) callbacks_->post([entry, step = *closed_] { entry->listener.call(step); });
    }
    callbacks_->pump();
    return internals::make_handle([entry] { entry->listener.end(); });
}

}  // namespace turnstile::detail
