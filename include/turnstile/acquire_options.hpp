// SPDX-License-Identifier: Apache-2.0
// acquire_options: how long a call waits for a lock, and what it tells meanwhile; query_options: how
// long a query waits.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"
#include "turnstile/standard_parts.hpp"
#include "turnstile/stop_signal.hpp"

namespace turnstile {

// A time-out or a deadline, or neither: wait for ever.
class wait_limit {
public:
    constexpr wait_limit() noexcept = default;
    template <duration_like D>
    constexpr wait_limit(const D& timeout) noexcept  // NOLINT: reads as `.timeout = 2s`
        : timeout_{to_nanoseconds(timeout)} {}
    constexpr wait_limit(boottime_clock::time_point deadline) noexcept  // NOLINT
        : deadline_{deadline} {}

    // The one deadline of the call that starts now.
    [[nodiscard]] std::optional<boottime_clock::time_point> deadline() const noexcept {
        if (deadline_) return deadline_;
        if (timeout_) return boottime_clock::now() + *timeout_;
        return std::nullopt;
    }

private:
    std::optional<boottime_clock::duration> timeout_;
    std::optional<boottime_clock::time_point> deadline_;
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
struct acquire_options {
    // Default: for ever. A duration (2s) or a boottime_clock time point. The answers of the servers
    // take their time: with zero it is over before they come, use try_acquire() instead.
    wait_limit timeout{};
    stop_signal stop{};  // ends the wait with `cancelled`
    // Told when a place in the queue is reserved, with the path of the contender's znode: every contender that
    // comes from now on is behind it. Told again if that place went with its session and another one was taken.
    std::function<void(const std::string& znode)> on_entered{};
    // Told each time the place in the queue becomes known: how many contenders are ahead. May be left
    // out when places change quickly.
    std::function<void(std::size_t ahead)> on_queued{};
    // Told with the time of the grant, once for each call that ends with a guard, for metrics. The clock is
    // boottime_clock; the time is when this client learned of the grant, of a multi_lock when the last part was held,
    // of a quorum_lock when a majority was. Called by the thread that gets the guard, just before it does: in
    // acquire() and try_acquire(), or where the handler runs, before the handler. (deadlock_detector::acquire(): where
    // callbacks run.) So it may refer to the caller's variables, and is told of a hold that is released at once, too.
    // The lock is held meanwhile: keep it short. What it throws is logged. Entering a recursive_mutex again is no grant.
    std::function<void(boottime_clock::time_point granted_at)> on_granted_at{};
    // Told once when a hold is over without release(): the same moment as `guard::lost()`. Not told of a hold that was
    // lost before the caller had it: that is the call's outcome; nor of one that its caller let go of, by release() or
    // with its guard, also where that was done because of `lost()`. To count every loss: client::counters().
    std::function<void(const error& why)> on_lost{};
    // Told when the connection is gone and the lease runs: the hold stays valid until valid_until().
    std::function<void(boottime_clock::time_point valid_until)> on_at_risk{};
    // Told when less than this is left of the lease, once for each time that it runs so low: again if
    // it was confirmed in between. Zero: never; ten years at most.
    boottime_clock::duration warn_before{};
    // A hold is lost after so long, with `held_too_long`; valid_until() is never later. The client ends it: one that is
    // stopped, cut off or dead keeps others out until its session expires. Zero: no limit; ten years at most.
    boottime_clock::duration max_hold{};
    std::function<void(boottime_clock::duration remaining)> on_expiring{};
    // Told when an operator asks the holder to release (see revocation.hpp). Whether it does is its own affair.
    std::function<void(const release_request& request)> on_asked_to_release{};
    std::string label{};  // for the holder metadata; empty: the client's. At most 1024 bytes
    // The owner of the call, as deadlock_detector sees it, in the holder metadata: one line of execution, which
    // does nothing else while it waits. Empty: the calling thread (thread_owner()) where it waits in
    // the call, no owner for the asynchronous forms. At most 256 bytes.
    std::string owner{};
};

struct query_options {
    wait_limit timeout{};  // default: the session time-out
    stop_signal stop{};    // ends the wait with `cancelled`
};

}  // namespace turnstile
