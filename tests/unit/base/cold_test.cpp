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
    cold<rare> one;
    EXPECT_EQ(one->count, 3);
    EXPECT_FALSE(one.changed());
    one.change().count = 4;
    EXPECT_EQ(one->count, 4);
    EXPECT_TRUE(one.changed());
    one.reset();
    EXPECT_EQ(one->count, 3);
    EXPECT_FALSE(one.changed());
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
    cold<rare> one;
    one.change().text = "mine";
    auto other = one;
    other.change().text = "yours";
    EXPECT_EQ(one->text, "mine");
    one = other;
    EXPECT_EQ(one->text, "yours");
    one = cold<rare>{};
    EXPECT_FALSE(one.changed());
}

TEST(cold, gives_away_what_it_has) {
    cold<rare> one;
    EXPECT_EQ(one.take(), rare{});
    one.change().text = "mine";
    EXPECT_EQ(one.take().text, "mine");
    EXPECT_FALSE(one.changed());
}

}  // namespace
}  // namespace turnstile::base
