// SPDX-License-Identifier: Apache-2.0
// How long poll() is to wait, and whether it would.
//
// Thread safety: reads the clock.
#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "core/seam/seam.hpp"

namespace turnstile::redis {

// In whole milliseconds, a minute at the most: the waiting thread looks again then.
[[nodiscard]] inline int milliseconds_until(core::time_point deadline) noexcept {
    constexpr std::int64_t k_longest = 60'000;
    const auto now = boottime_clock::now();
    if (deadline <= now) return 0;
    if (deadline - now > std::chrono::milliseconds{k_longest}) return static_cast<int>(k_longest);
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count());
}

// Of a descriptor; -1: never.
[[nodiscard]] inline bool is_readable(int descriptor) noexcept {
    pollfd asked{descriptor, POLLIN, 0};
    return ::poll(&asked, 1, 0) > 0;
}

}  // namespace turnstile::redis
