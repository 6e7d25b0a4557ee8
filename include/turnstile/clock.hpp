// SPDX-License-Identifier: Apache-2.0
// The clock that leases are measured on.
//
// Purpose: a monotonic clock that counts the time a machine was suspended, in nanoseconds since
// boot (Linux CLOCK_BOOTTIME). CLOCK_MONOTONIC stops in a suspended machine: a lease measured on it
// would still look valid after a night in a drawer.
//
//     if (turnstile::boottime_clock::now() < hold->valid_until()) write(hold->fencing_token());
//
// Thread safety: `now()` may be called from anywhere, signal handlers included.
#pragma once

#include "turnstile/language.hpp"

#include <chrono>
#include <cstdint>
#include <type_traits>

#include "turnstile/export.hpp"

namespace turnstile {

struct boottime_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<boottime_clock>;
    static constexpr bool is_steady = true;

    [[nodiscard]] TURNSTILE_EXPORT static time_point now() noexcept;
};

// Any duration type that has a count and a ratio: std::chrono's and boost::chrono's.
template <class D>
concept duration_like = requires(const D& d) {
    d.count();
    D::period::num;
    D::period::den;
};

// Any time point type that names its clock: std::chrono's and boost::chrono's.
template <class T>
concept time_point_like = requires(const T& time) {
    { time.time_since_epoch() } -> duration_like;
    { T::clock::now().time_since_epoch() } -> duration_like;
};

// How long a call may last: a time-out, or a deadline on any clock.
template <class T>
concept waiting_time = duration_like<T> || time_point_like<T>;

// `d` in nanoseconds, kept from 0 to 1e18 (about 31 years), so that now + d never overflows: a wait for `hours::max()`
// is one for ever, a negative duration and what is not a number are 0.
template <duration_like D>
[[nodiscard]] constexpr boottime_clock::duration to_nanoseconds(const D& d) noexcept {
    constexpr long double k_limit = 1e18L;
    const long double n = static_cast<long double>(d.count()) * D::period::num * 1e9L /
                          static_cast<long double>(D::period::den);
    if (n >= k_limit) return boottime_clock::duration{static_cast<std::int64_t>(k_limit)};
    if (!(n > 0)) return boottime_clock::duration{0};
    return boottime_clock::duration{static_cast<std::int64_t>(n)};
}

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

}  // namespace turnstile
