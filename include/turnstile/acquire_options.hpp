// SPDX-License-Identifier: Apache-2.0
// acquire_options: how long a call waits for a lock, and which callbacks it gets. query_options: how long a query
// waits.
//
//     const turnstile::acquire_options patient{.timeout = 1min, .stop = shutdown, .label = "nightly"};
//     if (auto hold = orders.acquire(patient)) ship(hold->fencing_token());
//
// Every call with a timeout among its options takes the timeout, or a deadline, also in place of the options:
// orders.acquire(2s), orders.queue(2s), hold.commit(writes, 2s), read_node(hold, path, tomorrow).
//
// Thread safety: values.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>

#include "turnstile/callback.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"

namespace turnstile {

// The limit of a call's wait: a timeout, a deadline, or none. With a limit of zero (0s, or a time point that has
// passed already) an acquire is a single try, see acquire_options::timeout.
class wait_limit {
public:
    // No limit.
    constexpr wait_limit() noexcept = default;
    // A timeout: a duration of std::chrono or boost::chrono, counted from the start of the call.
    template <duration_like D>
    constexpr wait_limit(const D& timeout) noexcept  // NOLINT: reads as `.timeout = 2s`
        : kind_{kind::timeout}, time_{to_nanoseconds(timeout)} {}
    // A time point of any clock, std's or Boost's. The constructor reads that clock once.
    template <time_point_like T>
    wait_limit(const T& time) noexcept  // NOLINT: reads as `.timeout = steady_clock::now() + 2s`
        : wait_limit{left_until(time)} {
        if (!is_zero()) *this = until(boottime_clock::now() + time_);
    }
    // A time point of the library's own clock.
    wait_limit(boottime_clock::time_point time) noexcept  // NOLINT
        : wait_limit{until(time)} {
        if (time <= boottime_clock::now()) *this = boottime_clock::duration{};
    }
    // The deadline of a call that has already begun. If it has passed, the call fails, and does not try once.
    [[nodiscard]] static constexpr wait_limit until(boottime_clock::time_point deadline) noexcept {
        wait_limit limit;
        limit.kind_ = kind::deadline;
        limit.time_ = deadline.time_since_epoch();
        return limit;
    }

    // True for a timeout of zero.
    [[nodiscard]] constexpr bool is_zero() const noexcept {
        return kind_ == kind::timeout && time_.count() == 0;
    }
    // Returns the deadline of a call that starts now; empty without limit.
    [[nodiscard]] std::optional<boottime_clock::time_point> deadline() const noexcept {
        if (kind_ == kind::none) return std::nullopt;
        if (kind_ == kind::deadline) return boottime_clock::time_point{time_};
        return boottime_clock::now() + time_;
    }

private:
    enum class kind : unsigned char { none, timeout, deadline };

    kind kind_ = kind::none;
    boottime_clock::duration time_{};
};

// An operator's request to release a lock: the operator and the reason. Both may be empty, since Curator's revocation
// gives neither.
struct release_request {
    std::string who{};  // name of the operator or of the program
    std::string why{};  // reason, for people
};

// The options of an acquisition.
//
// All callbacks except on_granted_at run on the client's callbacks executor, one at a time, in order, and perhaps late.
// None of them begins after the caller has an error or has released the hold. Two groups differ in what they may refer
// to:
// - on_entered and on_queued do not begin after acquire() has returned or the handler was called. acquire() waits for
//   a callback in progress. So they may refer to the caller's variables, and must not wait for the caller.
// - The others may still be in progress when the hold is released, which does not wait for them. What they refer to
//   must live longer than the client.
//
// Each callback is made from any function, as a std::function is. Copies of the options share it.
struct acquire_options {
    // Says how long the call may wait: a duration (2s), or a time point of any clock (steady_clock::now() + 2s).
    // Default: without limit. With 0s the call is the recipe's try_acquire() with its default limit: it returns the
    // hold, or `busy`.
    wait_limit timeout{};
    std::stop_token stop{};  // ends the wait with `cancelled`
    // Called when the contender has its place in the queue, with the path of its znode. Every contender that comes
    // later is behind it. Called again when a contender that lost its place with its session has queued again.
    detail::callback<void(const std::string& znode)> on_entered{};
    // Called when the number of contenders ahead becomes known. The library may skip calls when the number changes
    // quickly.
    detail::callback<void(std::size_t ahead)> on_queued{};
    // Called with the time of the grant, once for each call that returns a guard, for metrics. Entering a
    // recursive_mutex again is no grant.
    //
    // The time is on boottime_clock. It is the instant at which this client learned of the grant: for a multi_lock of
    // the grant of the last part, for a quorum_lock of the grant of a majority.
    //
    // The callback runs on the thread that gets the guard, just before it gets it: in acquire() and try_acquire(), or
    // before the handler, where the handler runs. (In deadlock_detector::acquire() it runs where callbacks run.) So it
    // may refer to the caller's variables, and is called also for a hold that is released at once. The lock is held
    // meanwhile: keep the callback short. The library logs an exception that the callback throws.
    detail::callback<void(boottime_clock::time_point granted_at)> on_granted_at{};
    // Called once when a hold ends without release(), at the same moment as guard::lost() is triggered. It is not
    // called for a hold that was lost before the caller had it: that is the outcome of the call. Nor is it called for a
    // hold that the caller has released, with release() or with its guard, even if lost() was the reason. To count
    // every loss, use client::counters().
    detail::callback<void(const error& why)> on_lost{};
    // Called when the connection is lost while the lease still runs. The hold stays valid until `valid_until`.
    detail::callback<void(boottime_clock::time_point valid_until)> on_at_risk{};
    // Time before the end of the lease at which on_expiring is called: once each time that less is left. Zero: never.
    // At most ten years.
    boottime_clock::duration warn_before{};
    // The longest time of a hold. After it the client ends the hold, with `held_too_long`; valid_until() is never
    // later. The client has to be running for this: a client that is stopped, cut off or dead keeps the lock until its
    // session expires. Zero: no limit. At most ten years.
    boottime_clock::duration max_hold{};
    // Called when less than `warn_before` is left of the lease. `remaining`: the time that is left.
    detail::callback<void(boottime_clock::duration remaining)> on_expiring{};
    // Called when an operator asks the holder to release the lock (revocation.hpp). The holder decides whether it does.
    detail::callback<void(const release_request& request)> on_asked_to_release{};
    // The label in the holder metadata; empty: the client's. At most 1024 bytes.
    std::string label{};
    // The owner of the call for deadlock_detector, written to the holder metadata: one line of execution, which does
    // nothing else while it waits. Empty: the calling thread (thread_owner()) for a call that blocks, and no owner for
    // the asynchronous forms. At most 256 bytes.
    std::string owner{};
};

// The options of a query.
struct query_options {
    wait_limit timeout{};    // default: the session timeout
    std::stop_token stop{};  // ends the wait with `cancelled`
};

}  // namespace turnstile
