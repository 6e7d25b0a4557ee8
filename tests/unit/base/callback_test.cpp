// SPDX-License-Identifier: Apache-2.0
#include "turnstile/callback.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace turnstile::detail {
namespace {

using noted = callback<void(const std::string&)>;

void ignore(const std::string&) {}

TEST(callback, is_empty_like_what_it_is_made_of) {
    EXPECT_FALSE(noted{});
    EXPECT_FALSE(noted{nullptr});
    EXPECT_FALSE(noted{std::function<void(const std::string&)>{}});
    void (*none)(const std::string&) = nullptr;
    EXPECT_FALSE(noted{none});
    EXPECT_TRUE(noted{none} == nullptr);
    EXPECT_TRUE(noted{ignore});
    EXPECT_TRUE(noted{std::function<void(const std::string&)>{ignore}} != nullptr);
    EXPECT_EQ(sizeof(noted), sizeof(void*));
}

TEST(callback, calls_any_function_that_takes_its_arguments) {
    std::string seen;
    noted{[&](std::string_view text) { seen += text; }}("a");
    noted{[&](const auto& text) { return seen += text; }}("b");
    noted{[&, calls = 0](const std::string&) mutable { seen += std::to_string(++calls); }}("");
    EXPECT_EQ(seen, "ab1");
}

TEST(callback, shares_the_function_among_its_copies_and_ends_it_with_the_last) {
    const auto counted = std::make_shared<int>(0);
    noted first{[counted](const std::string&) { ++*counted; }};
    EXPECT_EQ(counted.use_count(), 2);
    noted second{first};
    noted third;
    third = second;
    EXPECT_EQ(counted.use_count(), 2);
    second("");
    third("");
    EXPECT_EQ(*counted, 2);
    noted moved{std::move(first)};
    second = nullptr;
    EXPECT_FALSE(second);
    EXPECT_EQ(counted.use_count(), 2);
    third = noted{ignore};
    EXPECT_EQ(counted.use_count(), 2) << "the moved one has it";
    moved = nullptr;
    EXPECT_EQ(counted.use_count(), 1);
}

}  // namespace
}  // namespace turnstile::detail
