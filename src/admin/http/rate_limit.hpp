// SPDX-License-Identifier: Apache-2.0
// rate_limit: limits the events per second for each key, with a burst (a token bucket for each key).
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "turnstile/clock.hpp"

namespace turnstile::admin {

class rate_limit {
public:
    struct settings {
        double per_second = 1;
        double at_once = 1;
        std::size_t most_keys = 4'096;  // further keys share a bucket
    };
    explicit rate_limit(settings rule) noexcept : rule_{rule} {}

    // Takes a token for one event. If no token is left, reserves the next free token. Returns how long the caller must
    // wait for that token.
    [[nodiscard]] boottime_clock::duration turn(const std::string& key,
                                                boottime_clock::time_point now);
    // Takes a token. Returns false if no token is left.
    [[nodiscard]] bool take(const std::string& key, boottime_clock::time_point now);

private:
    struct bucket {
        double tokens = 0;
        boottime_clock::time_point filled{};
    };
    bucket& bucket_of(const std::string& key, boottime_clock::time_point now);
    void fill(bucket& each, boottime_clock::time_point now) const;
    void forget_full_ones(boottime_clock::time_point now);

    settings rule_;
    std::map<std::string, bucket> buckets_;
};

}  // namespace turnstile::admin
