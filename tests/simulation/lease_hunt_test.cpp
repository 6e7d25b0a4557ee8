// SPDX-License-Identifier: Apache-2.0
// Tests that lease_hunt finds counterexamples to rules that look plausible for a lease, and no counterexample to the
// library's rule.
#include "verification/lease_hunt.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace turnstile::simulation {
namespace {

constexpr std::uint64_t k_seeds = 4000;

class tempting_rule : public ::testing::TestWithParam<tried_rule> {};

TEST_P(tempting_rule, has_a_counterexample) {
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
        const auto result = hunt(GetParam(), seed);
        if (!result.broken) continue;
        ASSERT_TRUE(is_counterexample(result)) << "seed " << seed << ": " << result.breach;
        EXPECT_NE(result.breach.find("are both valid at"), std::string::npos) << result.breach;
        return;
    }
    FAIL() << "none in " << k_seeds << " histories";
}

INSTANTIATE_TEST_SUITE_P(hunt, tempting_rule,
                         ::testing::Values(tried_rule::ours_with_small_relay_bound,
                                           tried_rule::two_thirds_since_heard,
                                           tried_rule::confirmed_by_sync,
                                           tried_rule::touch_before_write),
                         [](const auto& of) { return std::string{to_string(of.param)}; });

TEST(lease_hunt, finds_nothing_against_the_rule_of_the_library) {
    std::uint64_t grants = 0;
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
        const auto result = hunt(tried_rule::ours, seed);
        ASSERT_FALSE(result.broken) << "seed " << seed << ": " << result.breach;
        grants += result.grants;
    }
    EXPECT_GT(grants, k_seeds) << "histories without grants find nothing";
}

TEST(lease_hunt, plays_one_history_for_a_seed) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        EXPECT_EQ(hunt(tried_rule::ours, seed).fingerprint,
                  hunt(tried_rule::ours, seed, {}, trace::detail::full).fingerprint)
            << "seed " << seed;
    }
}

TEST(lease_hunt, draws_the_relay_bound_that_a_rule_promises) {
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
        const auto needed = [](const scenario& s) {
            return s.time.longest_stall + s.time.server_latency + s.time.tick / 2;
        };
        const auto ours = draw_hunt(tried_rule::ours, seed);
        EXPECT_GE(ours.rule.relay_bound, needed(ours)) << "seed " << seed;
        const auto small = draw_hunt(tried_rule::ours_with_small_relay_bound, seed);
        EXPECT_LT(small.rule.relay_bound, needed(small)) << "seed " << seed;
        const auto naive = draw_hunt(tried_rule::touch_before_write, seed);
        EXPECT_EQ(naive.rule.relay_bound, core::duration{}) << "seed " << seed;
        EXPECT_FALSE(naive.roles_known) << "seed " << seed;
    }
}

TEST(lease_hunt, knows_its_rules_by_name) {
    for (const auto rule : k_tried_rules) EXPECT_EQ(tried_rule_of(to_string(rule)), rule);
    EXPECT_EQ(tried_rule_of("another"), std::nullopt);
}

}  // namespace
}  // namespace turnstile::simulation
