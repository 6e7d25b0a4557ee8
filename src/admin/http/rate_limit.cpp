// SPDX-License-Identifier: Apache-2.0
#include "admin/http/rate_limit.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace turnstile::admin {

void rate_limit::fill(bucket& each, boottime_clock::time_point now) const {
    const std::chrono::duration<double> passed = now - each.filled;
    each.tokens =
        std::min(rule_.at_once, each.tokens + std::max(0.0, passed.count()) * rule_.per_second);
    each.filled = now;
}

// Removes full buckets, because a key without a bucket counts as a key with a full bucket.
void rate_limit::forget_full_ones(boottime_clock::time_point now) {
    for (auto each = buckets_.begin(); each != buckets_.end();) {
        fill(each->second, now);
        each = each->second.tokens >= rule_.at_once ? buckets_.erase(each) : std::next(each);
    }
}

rate_limit::bucket& rate_limit::bucket_of(const std::string& key, boottime_clock::time_point now) {
    if (!buckets_.contains(key) && buckets_.size() >= rule_.most_keys) forget_full_ones(now);
    const bool room = buckets_.contains(key) || buckets_.size() < rule_.most_keys;
    const auto [found, is_new] = buckets_.try_emplace(room ? key : std::string{});
    if (is_new) found->second = {rule_.at_once, now};
    fill(found->second, now);
    return found->second;
}

boottime_clock::duration rate_limit::turn(const std::string& key, boottime_clock::time_point now) {
    auto& found = bucket_of(key, now);
    found.tokens -= 1;
    const std::chrono::duration<double> wait{-found.tokens / rule_.per_second};
    return to_nanoseconds(wait);
}

bool rate_limit::take(const std::string& key, boottime_clock::time_point now) {
    auto& found = bucket_of(key, now);
    if (found.tokens < 1) return false;
    found.tokens -= 1;
    return true;
}

}  // namespace turnstile::admin
