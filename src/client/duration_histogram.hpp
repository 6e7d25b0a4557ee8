// SPDX-License-Identifier: Apache-2.0
// duration_histogram: counts measured durations by bucket.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "turnstile/clock.hpp"
#include "turnstile/metric_family.hpp"

namespace turnstile::detail {

[[nodiscard]] constexpr double in_seconds(boottime_clock::duration span) noexcept {
    return std::chrono::duration<double>{span}.count();
}

class duration_histogram {
public:
    // `bounds`: the upper bounds of the buckets, in ascending order. A duration equal to a bound counts in that bound's
    // bucket.
    explicit duration_histogram(std::vector<boottime_clock::duration> bounds)
        : bounds_{std::move(bounds)}, counts_(bounds_.size() + 1) {}

    void add(boottime_clock::duration span) {
        span = std::max(span, boottime_clock::duration{});
        const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), span);
        ++counts_[static_cast<std::size_t>(bucket - bounds_.begin())];
        sum_ += in_seconds(span);
    }
    [[nodiscard]] metric_histogram read() const {
        metric_histogram numbers;
        for (const auto bound : bounds_) numbers.bounds.push_back(in_seconds(bound));
        numbers.counts = counts_;
        numbers.sum = sum_;
        return numbers;
    }

private:
    std::vector<boottime_clock::duration> bounds_;
    std::vector<std::uint64_t> counts_;
    double sum_ = 0;
};

}  // namespace turnstile::detail
