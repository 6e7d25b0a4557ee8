// SPDX-License-Identifier: Apache-2.0
#include "turnstile/rate_gate.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "recipe/gate/gate_rules.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "recipe/node/stamped_node.hpp"

namespace turnstile {

namespace {

// Limits the wait: the caller has computed it from servers' time stamps, and a server's clock may show any time.
boottime_clock::duration milliseconds_of(std::int64_t wait) {
    return to_nanoseconds(std::chrono::milliseconds{wait});
}

// Lets the caller's thread wait until an instant, but not beyond the end of the hold.
class turn_pause {
public:
    turn_pause(const guard& hold, const std::stop_token& stop) : hold_{hold}, stop_{stop} {}

    // Returns success at `until`, or an error if the wait ends before `until`.
    result<void> wait(boottime_clock::time_point until, const std::string& path) {
        const auto wake = [this] {
            const base::lock_guard lock{mutex_};
            changed_.notify_all();
        };
        const std::stop_callback on_stop{stop_, wake};
        const std::stop_callback on_loss{hold_.lost(), wake};
        base::unique_lock lock{mutex_};
        try {
            for (;;) {
                if (stop_.stop_requested()) return error{errc::cancelled, path};
                if (const auto still = hold_.status(); !still) return still;
                if (!changed_.wait_until(lock, until)) return {};
            }
        } catch (const boost::thread_interrupted&) {
            return error{errc::interrupted, "the wait for " + path};
        }
    }

private:
    const guard& hold_;
    const std::stop_token& stop_;
    base::mutex mutex_;
    base::condition_variable changed_;
};

}  // namespace

class TURNSTILE_NO_EXPORT rate_gate::implementation {
public:
    implementation(const client& servers, std::string_view path, const rate_rule& wanted)
        : rule{detail::empty_record(wanted).value()},
          queue{servers, path, core::contender_family::lock},
          record_path{queue.path() + "-record"} {}

    struct look {
        detail::stamped_data found;
        detail::rate_record record;
        std::int64_t wait = 0;
    };
    result<look> see(const detail::stamped_node& node, const query_options& limits) const;
    result<void> enter(acquire_options&& options, bool waits) const;

    const detail::rate_record rule;
    const detail::queue_lock queue;
    const std::string record_path;
};

result<rate_gate::implementation::look> rate_gate::implementation::see(
    const detail::stamped_node& node, const query_options& limits) const {
    auto found = node.read(limits);
    if (!found) return found.error();
    look result{std::move(*found), rule, 0};
    if (result.found.exists()) {
        auto record = detail::record_of(rule, result.found, queue.path());
        if (!record && detail::parse_job(result.found.text, result.found.changed))
            return error{errc::bad_option, queue.path() + " is the path of a job_gate; give the " +
                                               "rate_gate another path"};
        if (!record) return record.error();
        result.record = std::move(*record);
    }
    const auto now = node.ask_time(limits);
    if (now.has_error()) return now.error();
    detail::forget_old(result.record, *now);
    result.wait = std::max<std::int64_t>(detail::wait_for_room(result.record, *now), 0);
    return result;
}

result<void> rate_gate::implementation::enter(acquire_options&& options, bool waits) const {
    const auto deadline = options.timeout.deadline();
    if (deadline) options.timeout = wait_limit::until(*deadline);
    const query_options limits{options.timeout, options.stop};
    const auto stop = options.stop;
    auto turn = queue.acquire(std::move(options), core::claim{});
    if (!turn) return turn.error();
    const detail::stamped_node node{*queue.servers(), record_path, *turn};
    for (;;) {
        const auto seen = see(node, limits);
        if (!seen) return seen.error();
        if (seen->wait == 0) return node.write(seen->found, seen->record.to_string(), limits);
        if (!waits) return detail::no_room(seen->record, seen->wait, queue.path());
        const auto ready = boottime_clock::now() + milliseconds_of(seen->wait);
        const auto until = deadline ? std::min(*deadline, ready) : ready;
        if (const auto rested = turn_pause{*turn, stop}.wait(until, queue.path()); !rested)
            return rested;
        if (until != ready)
            return error{errc::timeout,
                         queue.path() + ": the rate allowed no further entry in time"};
    }
}

rate_gate::rate_gate(const client& servers, std::string_view path, rate_rule rule)
    : state_{new implementation{servers, path, rule}} {}

rate_gate::~rate_gate() = default;

const std::string& rate_gate::path() const noexcept {
    return state_->queue.path();
}

result<void> rate_gate::enter(acquire_options options) {
    if (options.timeout.is_zero()) {
        options.timeout = {};
        return try_enter(std::move(options));
    }
    return state_->enter(std::move(options), true);
}

result<void> rate_gate::try_enter(acquire_options options) {
    return state_->enter(std::move(options), false);
}

result<rate_state> rate_gate::state(acquire_options options) const {
    const query_options limits{options.timeout, options.stop};
    auto turn = state_->queue.acquire(std::move(options), core::claim{});
    if (!turn) return turn.error();
    const detail::stamped_node node{*state_->queue.servers(), state_->record_path, *turn};
    const auto seen = state_->see(node, limits);
    if (!seen) return seen.error();
    return rate_state{seen->record.entered(), milliseconds_of(seen->wait)};
}

}  // namespace turnstile
