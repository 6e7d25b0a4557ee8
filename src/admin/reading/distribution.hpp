// SPDX-License-Identifier: Apache-2.0
// distribution: percentiles and a histogram of durations.
//
// Thread safety: a pure function.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace turnstile::admin {

struct duration_bucket {
    std::optional<std::chrono::milliseconds> at_most;  // empty: above all other buckets
    std::size_t count = 0;
};

struct distribution {
    std::size_t count = 0;
    std::chrono::milliseconds p50{};
    std::chrono::milliseconds p90{};
    std::chrono::milliseconds p99{};
    std::chrono::milliseconds longest{};
    std::vector<duration_bucket>
        buckets;  // ascending, from the first non-empty bucket to the last; empty without durations
};

// Computes percentiles by the nearest rank. The buckets end at 1, 2 and 5 times each power of ten, from 10 ms to 5
// days.
[[nodiscard]] distribution distribution_of(std::vector<std::chrono::milliseconds> times);

}  // namespace turnstile::admin
