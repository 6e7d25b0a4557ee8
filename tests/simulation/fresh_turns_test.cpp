// SPDX-License-Identifier: Apache-2.0
// Tests the seeds that a run on fresh seeds draws: all kinds equally often, and no excluded seed.
#include "simulation/fresh_turns.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

namespace turnstile::tests {
namespace {

constexpr auto k_round = k_history_kinds.size() * fresh_turns::k_block;

TEST(fresh_turns, take_the_kinds_in_turn_block_by_block) {
    fresh_turns turns{1};
    for (const auto& kind : k_history_kinds) {
        const auto first = turns.next();
        EXPECT_EQ(first.kind, kind);
        for (std::uint64_t i = 1; i != fresh_turns::k_block; ++i) {
            const auto next = turns.next();
            EXPECT_EQ(next.kind, kind);
            EXPECT_EQ(next.seed, first.seed + i);
        }
    }
    EXPECT_EQ(turns.next().kind, k_history_kinds.front());
}

TEST(fresh_turns, draw_only_what_is_to_be_drawn) {
    for (std::uint64_t from = 0; from != 1'000; ++from) {
        fresh_turns turns{from};
        for (std::uint64_t i = 0; i != k_round; ++i) {
            const auto seed = turns.next().seed;
            ASSERT_GT(seed, 200'000U) << "drawn from " << from;
            ASSERT_LT(seed, 10'000'000U) << "drawn from " << from;
        }
    }
}

TEST(fresh_turns, draw_the_same_again_from_the_same_number_only) {
    fresh_turns once{1'795'354'300'888'693'567};
    fresh_turns again{1'795'354'300'888'693'567};
    fresh_turns later{1'795'354'300'888'693'568};
    std::set<std::uint64_t> drawn;
    for (std::uint64_t i = 0; i != k_round; ++i) {
        const auto seed = once.next().seed;
        EXPECT_EQ(again.next().seed, seed);
        drawn.insert(seed);
    }
    std::size_t shared = 0;
    for (std::uint64_t i = 0; i != k_round; ++i) shared += drawn.count(later.next().seed);
    EXPECT_LT(shared, k_round / 10);
}

// `--work` accepts these names, so each kind needs a distinct name.
TEST(fresh_turns, have_a_name_for_every_kind) {
    std::set<std::string> names;
    for (const auto& kind : k_history_kinds) names.insert(to_string(kind));
    EXPECT_EQ(names.size(), k_history_kinds.size());
    EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace turnstile::tests
