// SPDX-License-Identifier: Apache-2.0
#include "base/cold.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace turnstile::base {
namespace {

struct rare {
    int count = 3;
    std::string text;
    friend bool operator==(const rare&, const rare&) = default;
};

TEST(cold, is_the_default_until_it_is_changed_and_after_it_is_reset) {
    cold<rare> first;
    EXPECT_EQ(first->count, 3);
    EXPECT_FALSE(first.changed());
    first.change().count = 4;
    EXPECT_EQ(first->count, 4);
    EXPECT_TRUE(first.changed());
    first.reset();
    EXPECT_EQ(first->count, 3);
    EXPECT_FALSE(first.changed());
}

TEST(cold, equals_what_stands_for_the_same) {
    cold<rare> never;
    cold<rare> back;
    back.change().count = 4;
    EXPECT_NE(never, back);
    back.change().count = 3;
    EXPECT_EQ(never, back);
    EXPECT_EQ(back, never);
}

TEST(cold, is_copied_with_what_it_has) {
    cold<rare> first;
    first.change().text = "mine";
    auto other = first;
    other.change().text = "yours";
    EXPECT_EQ(first->text, "mine");
    first = other;
    EXPECT_EQ(first->text, "yours");
    first = cold<rare>{};
    EXPECT_FALSE(first.changed());
}

TEST(cold, gives_away_what_it_has) {
    cold<rare> first;
    EXPECT_EQ(first.take(), rare{});
    first.change().text = "mine";
    EXPECT_EQ(first.take().text, "mine");
    EXPECT_FALSE(first.changed());
}

}  // namespace
}  // namespace turnstile::base
