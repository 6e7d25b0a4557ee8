// SPDX-License-Identifier: Apache-2.0
#include "core/session/data_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace turnstile::core {
namespace inquiries_tests {

using ::testing::ElementsAre;

constexpr inquiry_id k_ann{1};
constexpr inquiry_id k_bob{2};
const operation k_look = exists_op{"/q"};

TEST(inquiries, is_sent_once_until_nothing_came_of_it) {
    inquiries all;
    all.add(k_ann, k_look, {});
    EXPECT_EQ(all.begin(k_ann), k_look);
    EXPECT_EQ(all.begin(k_ann), std::nullopt);
    all.lost(k_ann);
    EXPECT_EQ(all.begin(k_ann), k_look);
}

TEST(inquiries, all_are_sent_again_in_a_new_session) {
    inquiries all;
    for (const auto id : {k_bob, k_ann}) {
        all.add(id, k_look, {});
        EXPECT_TRUE(all.begin(id));
    }
    all.all_lost();
    EXPECT_THAT(all.ids(), ElementsAre(k_ann, k_bob));
    for (const auto id : all.ids()) EXPECT_EQ(all.begin(id), k_look);
}

TEST(inquiries, one_that_is_taken_is_gone) {
    inquiries all;
    const time_point deadline{};
    all.add(k_ann, k_look, deadline);
    const auto taken = all.take(k_ann);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->deadline, deadline);
    EXPECT_FALSE(all.contains(k_ann));
    EXPECT_EQ(all.take(k_ann), std::nullopt);
}

}  // namespace inquiries_tests
}  // namespace turnstile::core
