// SPDX-License-Identifier: Apache-2.0
#include "base/shared_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace turnstile::base {
namespace {

TEST(shared_text, has_one_copy_of_the_text) {
    const shared_text first{std::string(100, 'a')};
    const auto other =
        first;  // NOLINT(performance-unnecessary-copy-initialization): what is tested
    EXPECT_EQ(&first.str(), &other.str());
}

TEST(shared_text, is_compared_by_what_it_says) {
    const shared_text first{"a"};
    EXPECT_EQ(first, shared_text{"a"});
    EXPECT_NE(first, shared_text{"b"});
    EXPECT_EQ(shared_text{}, shared_text{""});
}

TEST(shared_text, is_a_string_to_who_wants_one) {
    const std::string text = shared_text{"a"};
    EXPECT_EQ(text, "a");
}

}  // namespace
}  // namespace turnstile::base
