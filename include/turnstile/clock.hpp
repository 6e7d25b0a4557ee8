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

#include <cstdint>

#include "turnstile/export.hpp"
#include "turnstile/standard_parts.hpp"

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

}  // namespace turnstile
