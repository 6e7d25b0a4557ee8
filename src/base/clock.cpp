// SPDX-License-Identifier: Apache-2.0
#include "turnstile/clock.hpp"

#include <time.h>

namespace turnstile {

boottime_clock::time_point boottime_clock::now() noexcept {
    timespec t{};
    // Cannot fail: Linux has had this clock since 2.6.39, and the address is valid.
    ::clock_gettime(CLOCK_BOOTTIME, &t);
    return time_point{std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec}};
}

}  // namespace turnstile
