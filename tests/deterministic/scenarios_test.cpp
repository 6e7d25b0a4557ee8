// SPDX-License-Identifier: Apache-2.0
// Plays the scenarios with fixed seeds. search.cpp tries other seeds.
#include <gtest/gtest.h>

#include "deterministic/scenarios.hpp"

namespace turnstile::deterministic_tests {
namespace {

constexpr std::uint64_t k_seeds = 3;

class scenarios : public ::testing::TestWithParam<service_scenario> {};

TEST_P(scenarios, hold) {
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
        const auto report = play(GetParam(), seed);
        ASSERT_TRUE(report.passed) << "seed " << seed << ": " << report.text();
    }
}

INSTANTIATE_TEST_SUITE_P(all, scenarios, ::testing::ValuesIn(all_scenarios()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace turnstile::deterministic_tests
