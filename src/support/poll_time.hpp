// SPDX-License-Identifier: Apache-2.0
// poll_time: the time limit for poll(), a check of a descriptor without waiting, and a wait with a limit finer than
// milliseconds.
//
// Thread safety: all functions from any thread.
#pragma once

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "turnstile/clock.hpp"

namespace turnstile::support {

// Returns the time until `deadline` in whole milliseconds, at most a minute. The caller checks the deadline again after
// poll().
[[nodiscard]] inline int milliseconds_until(boottime_clock::time_point deadline) noexcept {
    constexpr std::int64_t k_longest = 60'000;
    const auto now = boottime_clock::now();
    if (deadline <= now) return 0;
    if (deadline - now > std::chrono::milliseconds{k_longest}) return static_cast<int>(k_longest);
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count());
}

// `descriptor` may be -1, which is never readable.
[[nodiscard]] inline bool is_readable(int descriptor) noexcept {
    pollfd asked{descriptor, POLLIN, 0};
    return ::poll(&asked, 1, 0) > 0;
}

// Waits until a descriptor has an event, or until `until`. The events are in `waited`.
template <std::size_t N>
void await_any(std::array<pollfd, N>& waited, boottime_clock::time_point until) noexcept {
    const auto left = std::max(until - boottime_clock::now(), boottime_clock::duration{});
    const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    const timespec limit{seconds.count(), (left - seconds).count()};
    ::ppoll(waited.data(), waited.size(), &limit, nullptr);
}

}  // namespace turnstile::support
