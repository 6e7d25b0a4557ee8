// SPDX-License-Identifier: Apache-2.0
// acquire_options: how long a call waits for a lock, and what it tells meanwhile; query_options: how
// long a query waits.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>

#include "turnstile/callback.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"

namespace turnstile {

// A time-out or a deadline, or neither: wait for ever. With no time at all (0s, or a time point that has passed when it
// is given here) a call for a lock is a try: see acquire_options.
class wait_limit {
public:
    constexpr wait_limit() noexcept = default;
    template <duration_like D>
    constexpr wait_limit(const D& timeout) noexcept  // NOLINT: reads as `.timeout = 2s`
        : kind_{kind::timeout}, time_{to_nanoseconds(timeout)} {}
    // Of any clock, std's or Boost's, which is read once, here.
    template <time_point_like T>
    wait_limit(const T& time) noexcept  // NOLINT: reads as `.timeout = steady_clock::now() + 2s`
        : wait_limit{left_until(time)} {
        if (!is_zero()) *this = until(boottime_clock::now() + time_);
    }
    wait_limit(boottime_clock::time_point time) noexcept  // NOLINT
        : wait_limit{until(time)} {
        if (time <= boottime_clock::now()) *this = boottime_clock::duration{};
    }
    // The deadline of a call that has begun. If it has passed the call fails, and is no try.
    [[nodiscard]] static constexpr wait_limit until(boottime_clock::time_point deadline) noexcept {
        wait_limit limit;
        limit.kind_ = kind::deadline;
        limit.time_ = deadline.time_since_epoch();
        return limit;
    }

    [[nodiscard]] constexpr bool is_zero() const noexcept {
        return kind_ == kind::timeout && time_.count() == 0;
    }
    // The one deadline of the call that starts now.
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

// The operator that asks a holder to let go, and the reason; both may be empty, Curator's revocation says neither.
struct release_request {
    std::string who{};
    std::string why{};
};

// The callbacks, all but on_granted_at, run on the client's callbacks executor, one at a time, in order, and may come
// late. None of them begins once the caller has its error or has given the hold up. on_entered and on_queued
// also do not begin once acquire() has returned or the handler was called, and acquire() returns only when
// one of them that is under way has ended: they may refer to the caller's variables and must not wait for
// the caller. The others may be under way while the hold is given up, which does not wait for them:
// what they refer to has to live longer than the client.
//
// Each is made of any function, as a std::function is; copies of the options share it.
struct acquire_options {
    // Default: for ever. A duration (2s), or a time point of any clock (steady_clock::now() + 2s). With no time at all
    // (0s) the call is the recipe's try_acquire() with the default limit: granted, or `busy`.
    wait_limit timeout{};
    std::stop_token stop{};  // ends the wait with `cancelled`
    // Told when a place in the queue is reserved, with the path of the contender's znode: every contender that
    // comes from now on is behind it. Told again if that place went with its session and another one was taken.
    detail::callback<void(const std::string& znode)> on_entered{};
    // Told each time the place in the queue becomes known: how many contenders are ahead. May be left
    // out when places change quickly.
    detail::callback<void(std::size_t ahead)> on_queued{};
    // Told with the time of the grant, once for each call that ends with a guard, for metrics. The clock is
    // boottime_clock; the time is when this client learned of the grant, of a multi_lock when the last part was held,
    // of a quorum_lock when a majority was. Called by the thread that gets the guard, just before it does: in
    // acquire() and try_acquire(), or where the handler runs, before the handler. (deadlock_detector::acquire(): where
    // callbacks run.) So it may refer to the caller's variables, and is told of a hold that is released at once, too.
    // The lock is held meanwhile: keep it short. What it throws is logged. Entering a recursive_mutex again is no grant.
    detail::callback<void(boottime_clock::time_point granted_at)> on_granted_at{};
    // Told once when a hold is over without release(): the same moment as `guard::lost()`. Not told of a hold that was
    // lost before the caller had it: that is the call's outcome; nor of one that its caller let go of, by release() or
    // with its guard, also where that was done because of `lost()`. To count every loss: client::counters().
    detail::callback<void(const error& why)> on_lost{};
    // Told when the connection is gone and the lease runs: the hold stays valid until valid_until().
    detail::callback<void(boottime_clock::time_point valid_until)> on_at_risk{};
    // Told when less than this is left of the lease, once for each time that it runs so low: again if
    // it was confirmed in between. Zero: never; ten years at most.
    boottime_clock::duration warn_before{};
    // A hold is lost after so long, with `held_too_long`; valid_until() is never later. The client ends it: one that is
    // stopped, cut off or dead keeps others out until its session expires. Zero: no limit; ten years at most.
    boottime_clock::duration max_hold{};
    detail::callback<void(boottime_clock::duration remaining)> on_expiring{};
    // Told when an operator asks the holder to release (see revocation.hpp). Whether it does is its own affair.
    detail::callback<void(const release_request& request)> on_asked_to_release{};
    std::string label{};  // for the holder metadata; empty: the client's. At most 1024 bytes
    // The owner of the call, as deadlock_detector sees it, in the holder metadata: one line of execution, which
    // does nothing else while it waits. Empty: the calling thread (thread_owner()) where it waits in
    // the call, no owner for the asynchronous forms. At most 256 bytes.
    std::string owner{};
};

struct query_options {
    wait_limit timeout{};    // default: the session time-out
    std::stop_token stop{};  // ends the wait with `cancelled`
};

}  // namespace turnstile
