// SPDX-License-Identifier: Apache-2.0
// timed_lockable: the standard forms with a time-out or a deadline, for every recipe the same.
//
// Purpose: a lock that can try at once, and wait until a deadline, has try_lock_for() and try_lock_until()
// as std::timed_lockable asks for them; with them std::unique_lock and Boost's locks take time-outs.
//
//     class my_lock : public timed_lockable<my_lock> {
//         friend timed_lockable<my_lock>;
//     public:
//         bool try_lock();
//     private:
//         bool lock_until(boottime_clock::time_point deadline);
//     };
//
// Time-outs are of any duration type, time points of any clock, std's or Boost's. A time point is measured
// on its own clock once, when the call begins: after that, that clock may be set, and the call does not
// notice. What is too far away is for ever, what is past is no time at all; nothing overflows.
//
// Thread safety: that of the lock.
#pragma once

#include <chrono>
#include <ratio>
#include <type_traits>

#include "turnstile/clock.hpp"

namespace turnstile {

// Any time point type that names its clock: std::chrono's and boost::chrono's.
template <class T>
concept time_point_like = requires(const T& time) {
    { time.time_since_epoch() } -> duration_like;
    { T::clock::now().time_since_epoch() } -> duration_like;
};

// How long until then, from now on the clock of `time`; zero if it is past. Kept within the same limit as
// to_nanoseconds().
template <time_point_like T>
[[nodiscard]] boottime_clock::duration left_until(const T& time) {
    using nanoseconds =
        std::chrono::duration<long double, std::nano>;  // of any clock, without overflow
    const auto since_epoch = [](const auto& d) {
        using period = typename std::remove_cvref_t<decltype(d)>::period;
        return static_cast<long double>(d.count()) * period::num * 1e9L / period::den;
    };
    return to_nanoseconds(nanoseconds{since_epoch(time.time_since_epoch()) -
                                      since_epoch(T::clock::now().time_since_epoch())});
}

// `L` has try_lock() and lock_until(), which answer whether the lock was taken.
template <class L>
class timed_lockable {
public:
    // With no time at all as try_lock(), which waits for the servers' answer. False: not taken in time.
    template <duration_like D>
    bool try_lock_for(const D& timeout) {
        return try_lock_within(to_nanoseconds(timeout));
    }
    template <time_point_like T>
    bool try_lock_until(const T& time) {
        return try_lock_within(left_until(time));
    }

private:
    friend L;  // nobody else derives from it
    timed_lockable() = default;
    ~timed_lockable() = default;

    bool try_lock_within(boottime_clock::duration left) {
        auto& lock = static_cast<L&>(*this);
        return left.count() == 0 ? lock.try_lock() : lock.lock_until(boottime_clock::now() + left);
    }
};

}  // namespace turnstile
