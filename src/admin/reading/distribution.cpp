// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/distribution.hpp"

#include <algorithm>
#include <array>

namespace turnstile::admin {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_first{10};
constexpr milliseconds k_last{500'000'000};
constexpr std::array<int, 3> k_steps{1, 2, 5};

milliseconds nearest_rank(const std::vector<milliseconds>& sorted, std::size_t percent) {
    const std::size_t rank = (sorted.size() * percent + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

std::vector<duration_bucket> empty_buckets() {
    std::vector<duration_bucket> buckets;
    for (milliseconds power = k_first; power <= k_last; power *= 10)
        for (const int step : k_steps)
            if (power * step <= k_last) buckets.push_back({power * step, 0});
    buckets.push_back({std::nullopt, 0});
    return buckets;
}

std::vector<duration_bucket> buckets_of(const std::vector<milliseconds>& times) {
    auto buckets = empty_buckets();
    for (const auto time : times) {
        auto fitting = buckets.begin();
        while (fitting->at_most && time > *fitting->at_most) ++fitting;
        ++fitting->count;
    }
    const auto used = [](const duration_bucket& each) { return each.count != 0; };
    buckets.erase(std::find_if(buckets.rbegin(), buckets.rend(), used).base(), buckets.end());
    buckets.erase(buckets.begin(), std::find_if(buckets.begin(), buckets.end(), used));
    return buckets;
}

}  // namespace

distribution distribution_of(std::vector<milliseconds> times) {
    distribution result;
    if (times.empty()) return result;
    std::sort(times.begin(), times.end());
    result.count = times.size();
    result.p50 = nearest_rank(times, 50);
    result.p90 = nearest_rank(times, 90);
    result.p99 = nearest_rank(times, 99);
    result.longest = times.back();
    result.buckets = buckets_of(times);
    return result;
}

}  // namespace turnstile::admin
