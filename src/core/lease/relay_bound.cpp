// SPDX-License-Identifier: Apache-2.0
#include "core/lease/relay_bound.hpp"

#include <algorithm>
#include <cstdint>

#include "base/check.hpp"

namespace turnstile::core {

namespace {

// Defaults of ZooKeeper's minSessionTimeout and maxSessionTimeout, in ticks.
constexpr int k_least_ticks = 2;
constexpr int k_most_ticks = 20;
// Upper limit of the result of relay_bound(). No session timeout is longer.
constexpr duration k_longest = std::chrono::years{10};

// Returns the longest tick with which servers would grant the session timeout `granted`. The result is at least the
// tick of ZooKeeper's sample configuration.
duration assumed_tick(duration asked, duration granted) {
    const auto raised = granted > asked ? granted / k_least_ticks : duration{};
    return std::max({k_sample_tick, granted / k_most_ticks, raised});
}

}  // namespace

duration relay_bound(const relay_terms& terms, const std::optional<server_pace>& told,
                     duration granted) {
    const auto unsaid = told ? told->tick : assumed_tick(terms.asked, granted);
    const auto tick = terms.tick > duration{} ? terms.tick : unsaid;
    TURNSTILE_CHECK(tick > duration{});
    if (terms.assumed_stall > duration{}) return terms.assumed_stall + tick / 2;
    const int told_limit = told ? told->sync_limit : k_sample_sync_limit;
    const int limit = terms.sync_limit > 0 ? terms.sync_limit : told_limit;
    TURNSTILE_CHECK(limit > 0);
    const auto ticks = std::int64_t{limit} + 1;
    return ticks > k_longest / tick ? k_longest : tick * ticks;
}

}  // namespace turnstile::core
