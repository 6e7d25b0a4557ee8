// SPDX-License-Identifier: Apache-2.0
#include "recipe/election/seat_state.hpp"

#include <gtest/gtest.h>

namespace turnstile::detail {
namespace {

TEST(term_in_progress, is_awaited_by_every_thread_but_its_own) {
    const auto here = owner::calling_thread();
    const auto elsewhere = owner::make();
    term_in_progress term;
    EXPECT_EQ(term.awaited_by(here), std::nullopt);
    term.begin(1, elsewhere, {});
    EXPECT_EQ(term.awaited_by(here), 1U);
    EXPECT_EQ(term.awaited_by(elsewhere), std::nullopt);
    EXPECT_TRUE(term.is_running(1));
    EXPECT_FALSE(term.is_running(2));
    term.end(1);
    EXPECT_FALSE(term.is_running(1));
    EXPECT_EQ(term.awaited_by(here), std::nullopt);
}

TEST(term_in_progress, an_earlier_turn_ends_beside_a_later_one) {
    term_in_progress term;
    term.begin(1, owner::make(), {});
    term.begin(2, owner::make(), {});
    term.end(1);
    EXPECT_TRUE(term.is_running(2));
}

TEST(term_in_progress, gives_the_stop_token_of_the_turn_that_began_last) {
    term_in_progress term;
    const std::stop_source first;
    std::stop_source second;
    term.begin(1, owner::make(), first);
    term.begin(2, owner::make(), second);
    EXPECT_EQ(term.stop(), second);
    term.end(2);
    EXPECT_EQ(term.stop(), second);
}

TEST(term_in_progress, shows_its_leadership_while_the_function_runs_and_counts_the_calls) {
    term_in_progress term;
    EXPECT_EQ(term.lead(), nullptr);
    EXPECT_EQ(term.calls(), 0U);
    const auto hold = std::make_shared<guard>();
    term.lead(hold);
    EXPECT_EQ(term.lead(), hold);
    EXPECT_EQ(term.calls(), 1U);
    EXPECT_EQ(term.take_lead(), hold);
    EXPECT_EQ(term.lead(), nullptr);
    EXPECT_EQ(term.calls(), 1U);
}

}  // namespace
}  // namespace turnstile::detail
