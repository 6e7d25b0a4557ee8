// SPDX-License-Identifier: Apache-2.0
// acquire_options: how long a call waits for a lock, and which callbacks it gets. query_options: how long a query
// waits.
//
//     const turnstile::acquire_options patient{.timeout = 1min, .stop = shutdown, .label = "nightly"};
//     if (auto hold = orders.acquire(patient)) ship(hold->fencing_token());
//
// A call whose options have a member `timeout` also accepts a timeout or a deadline in place of the options:
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
// passed already) an acquire makes a single attempt, see acquire_options::timeout.
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
    // Returns the limit of a call that has already begun, from the call's deadline. If the deadline has passed, the
    // call fails, and does not even try once.
    [[nodiscard]] static constexpr wait_limit until(boottime_clock::time_point deadline) noexcept {
        wait_limit limit;
        limit.kind_ = kind::deadline;
        limit.time_ = deadline.time_since_epoch();
        return limit;
    }

    // Returns true for a timeout of zero.
    [[nodiscard]] constexpr bool is_zero() const noexcept {
        return kind_ == kind::timeout && time_.count() == 0;
    }
    // Returns the deadline of a call that starts now, or an empty optional if there is no limit.
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

// An operator's request to release a lock. Both members are empty if the request came from Curator's revocation.
struct release_request {
    std::string who{};  // name of the operator or of the program
    std::string why{};  // reason, for people
};

// The options of an acquisition.
//
// All callbacks except on_granted_at run on the client's callbacks executor, one at a time, in order, and perhaps late.
// No callback begins after the call has returned an error or the caller has released the hold. The objects that a
// callback may use:
// - on_entered and on_queued may use the caller's variables, and must not wait for the caller. They do not begin after
//   acquire() has returned or the handler was called, and acquire() waits for a callback in progress.
// - The other callbacks may use only objects that live longer than the client. They may still be in progress when the
//   hold is released, because the release does not wait for them.
//
// Like a std::function, a callback is constructed from any function object. Copies of the options share that object.
struct acquire_options {
    // The longest wait: a duration (2s) or a time point of any clock. Default: no limit. With 0s or a past time the
    // call works like try_acquire(): it returns the hold or `busy`, and waits at most 5 s for a connection (mutex.hpp).
    wait_limit timeout{};
    std::stop_token stop{};  // ends the wait with `cancelled`
    // Called when the call has entered the queue, with the path of its znode (its contender). Contenders that enter
    // later are behind this znode. If the session ends, the call loses its position. When the call has queued again,
    // the callback is called again.
    detail::callback<void(const std::string& znode)> on_entered{};
    // Called with the number of contenders that are ahead of this call, each time that the client learns this number.
    // If the number changes quickly, the library may omit some of these callbacks.
    detail::callback<void(std::size_t ahead)> on_queued{};
    // Called with the time of the grant, once for each call that returns a guard, for metrics. A thread that enters a
    // recursive_mutex again gets no new grant.
    //
    // The time is on boottime_clock. It is the instant at which this client learned of the grant. A multi_lock is
    // granted when its last lock is granted, and a quorum_lock is granted when a majority of the ensembles has granted
    // the lock.
    //
    // The callback runs just before the caller gets the guard, on the same thread: the thread that called acquire() or
    // try_acquire(), or the thread that calls the handler. (Exception: for deadlock_detector::acquire() it runs on the
    // callbacks executor.) The callback may use the caller's variables. The library also calls it for a hold that the
    // caller releases at once. The lock is held while the callback runs, so keep the callback short. If the callback
    // throws an exception, the library logs it.
    detail::callback<void(boottime_clock::time_point granted_at)> on_granted_at{};
    // Called once when a hold ends without release(), at the same moment as guard::lost() is triggered. If a hold is
    // lost before the caller has it, the call returns the error instead. If the caller has released the hold, with
    // release() or by the guard's destructor, on_lost is not called either, even if lost() was the reason for the
    // release. To count every loss, use client::counters().
    detail::callback<void(const error& why)> on_lost{};
    // Called when the connection is lost while the lease still runs. The hold stays valid until `valid_until`.
    detail::callback<void(boottime_clock::time_point valid_until)> on_at_risk{};
    // The library calls on_expiring each time that the remaining time of the lease (guard::remaining) falls below this
    // value. Zero: never. At most ten years.
    boottime_clock::duration warn_before{};
    // The longest time of a hold. After that time the client ends the hold with `held_too_long`; valid_until() is never
    // after that end. Only a running client can end the hold: a client that is stopped, cut off or dead keeps the lock
    // until its session expires. Zero: no limit. At most ten years.
    boottime_clock::duration max_hold{};
    // Called when the remaining time of the lease, `remaining`, is less than `warn_before`.
    detail::callback<void(boottime_clock::duration remaining)> on_expiring{};
    // Called when an operator asks the holder to release the lock (revocation.hpp). The holder decides whether to
    // release it.
    detail::callback<void(const release_request& request)> on_asked_to_release{};
    // The label in the holder metadata (contender_metadata in lock_status.hpp). Empty: the client's label. At most 1024
    // bytes.
    std::string label{};
    // The owner of the call for deadlock_detector, written to the holder metadata. An owner is one thread, or one task
    // of the program, that does nothing else while the call waits. Empty: the calling thread (thread_owner()) for a
    // call that blocks; no owner for the asynchronous forms. At most 256 bytes.
    std::string owner{};
};

// The options of a query.
struct query_options {
    wait_limit timeout{};    // default: the session timeout
    std::stop_token stop{};  // ends the wait with `cancelled`
};

}  // namespace turnstile
