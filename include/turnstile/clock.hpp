// SPDX-License-Identifier: Apache-2.0
// boottime_clock: the clock on which leases are measured.
//
// The clock is monotonic. It counts the nanoseconds since the machine's boot, including the time in which the machine
// was suspended (Linux CLOCK_BOOTTIME). CLOCK_MONOTONIC stops while a machine is suspended. A lease measured on
// CLOCK_MONOTONIC would look valid after a laptop was closed for a night.
//
//     if (turnstile::boottime_clock::now() < hold->valid_until()) write(hold->fencing_token());
//
// Thread safety: any thread may call now(), and so may a signal handler.
#pragma once

#include "turnstile/language.hpp"

#include <chrono>
#include <cstdint>
#include <type_traits>

#include "turnstile/export.hpp"

namespace turnstile {

// Meets the requirements of a standard clock.
struct boottime_clock {
    // The types that the standard requires of a clock. A duration is in nanoseconds.
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<boottime_clock>;
    static constexpr bool is_steady = true;  // the clock never runs backwards

    // Returns the time since the boot of the machine, suspended time included.
    [[nodiscard]] TURNSTILE_EXPORT static time_point now() noexcept;
};

// A duration of std::chrono or boost::chrono: any type with a count and a ratio.
template <class D>
concept duration_like = requires(const D& d) {
    d.count();
    D::period::num;
    D::period::den;
};

// A time point of std::chrono or boost::chrono: any time point type that names its clock.
template <class T>
concept time_point_like = requires(const T& time) {
    { time.time_since_epoch() } -> duration_like;
    { T::clock::now().time_since_epoch() } -> duration_like;
};

// The longest wait of a call: a timeout, or a deadline on any clock.
template <class T>
concept waiting_time = duration_like<T> || time_point_like<T>;

// Returns `d` in nanoseconds, limited to the range from 0 to 1e18 (about 31 years), so that now + d never overflows. So
// a wait of `hours::max()` is practically unlimited. A negative duration, or a value that is not a number, gives 0.
template <duration_like D>
[[nodiscard]] constexpr boottime_clock::duration to_nanoseconds(const D& d) noexcept {
    constexpr long double k_limit = 1e18L;
    const long double n = static_cast<long double>(d.count()) * D::period::num * 1e9L /
                          static_cast<long double>(D::period::den);
    if (n >= k_limit) return boottime_clock::duration{static_cast<std::int64_t>(k_limit)};
    if (!(n > 0)) return boottime_clock::duration{0};
    return boottime_clock::duration{static_cast<std::int64_t>(n)};
}

// Returns the time from now until `time`, on the clock of `time`; zero if `time` has passed. The limits are the same as
// for to_nanoseconds().
template <time_point_like T>
[[nodiscard]] boottime_clock::duration left_until(const T& time) {
    // Nanoseconds as a floating-point number, which cannot overflow.
    using nanoseconds = std::chrono::duration<long double, std::nano>;
    const auto since_epoch = [](const auto& d) {
        using period = typename std::remove_cvref_t<decltype(d)>::period;
        return static_cast<long double>(d.count()) * period::num * 1e9L / period::den;
    };
    return to_nanoseconds(nanoseconds{since_epoch(time.time_since_epoch()) -
                                      since_epoch(T::clock::now().time_since_epoch())});
}

}  // namespace turnstile
