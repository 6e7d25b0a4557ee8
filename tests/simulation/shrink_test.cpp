// SPDX-License-Identifier: Apache-2.0
// Tests how shrink() makes a failing history smaller. A replay must not contain the faults that shrink() left out, and
// shrink() must keep the faults that the failure needs.
#include <gtest/gtest.h>

#include <stdexcept>

#include "verification/shrink.hpp"

namespace turnstile::simulation {
namespace {

using numbers = disturbances::numbers;

// Returns the first seed whose history has more than 40 faults.
std::uint64_t eventful() {
    for (std::uint64_t seed = 1;; ++seed)
        if (simulate(seed).drawn > 40) return seed;
}

TEST(simulation_shrink, plays_the_same_history_with_everything) {
    const auto whole = simulate(eventful());
    reduction all;
    all.only.emplace();
    for (std::uint64_t i = 0; i != whole.drawn; ++i) all.only->insert(i);
    EXPECT_EQ(simulate(whole.seed, all).fingerprint, whole.fingerprint);
}

TEST(simulation_shrink, lets_nothing_go_wrong_that_is_left_out) {
    reduction calm;
    calm.only.emplace();
    const auto result = simulate(eventful(), calm, trace::detail::full);
    EXPECT_TRUE(result.disturbances.empty());
    EXPECT_GT(result.drawn, 0U);
    EXPECT_GT(result.grants, 0U);
    EXPECT_FALSE(result.broken) << result.report();
}

TEST(simulation_shrink, lets_happen_what_stays_in) {
    reduction some;
    some.only = numbers{0, 2};
    EXPECT_EQ(simulate(eventful(), some, trace::detail::full).disturbances.size(), 2U);
}

TEST(simulation_shrink, finds_what_a_failure_needs) {
    const auto needs = [](const reduction& tried) {
        return tried.clients >= 2 && tried.only->contains(3) && tried.only->contains(17);
    };
    const auto smallest = shrink({}, 5, 100, needs);
    EXPECT_EQ(smallest.only, (numbers{3, 17}));
    EXPECT_EQ(smallest.clients, 2U);
    EXPECT_EQ(smallest.rounds, 1U);
}

TEST(simulation_shrink, keeps_all_that_a_failure_needs) {
    const auto smallest = shrink({}, 3, 10, [](const reduction& tried) {
        return tried.only->size() == 10 && tried.clients == reduction::k_all &&
               tried.rounds == reduction::k_all;
    });
    EXPECT_EQ(smallest.only->size(), 10U);
    EXPECT_EQ(smallest.clients, reduction::k_all);
}

TEST(simulation_shrink, comes_to_an_end) {
    int tries = 0;
    const auto smallest = shrink({}, 5, 2'000, [&tries](const reduction& tried) {
        ++tries;
        return tried.only->size() > 1'500;
    });
    EXPECT_GT(smallest.only->size(), 1'500U);
    EXPECT_LT(tries, 10'000);
}

TEST(simulation_shrink, writes_a_reduction_as_arguments) {
    reduction some;
    EXPECT_EQ(some.arguments(), "");
    some.clients = 2;
    some.only = numbers{3, 7, 8, 9};
    EXPECT_EQ(some.arguments(), " --clients 2 --only '3,7-9'");
    EXPECT_EQ(parse_numbers("3,7-9"), *some.only);
    some.only = numbers{};
    some.rounds = 1;
    EXPECT_EQ(some.arguments(), " --clients 2 --rounds 1 --only ''");
    EXPECT_EQ(parse_numbers(""), numbers{});
}

TEST(simulation_shrink, refuses_what_is_no_list_of_numbers) {
    for (const auto* wrong : {",", "1,", "x", "1-", "-1", "3-2", "1..2", "99999999999999999999"})
        EXPECT_THROW((void)parse_numbers(wrong), std::invalid_argument) << wrong;
}

}  // namespace
}  // namespace turnstile::simulation
