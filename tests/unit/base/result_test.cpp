// SPDX-License-Identifier: Apache-2.0
#include "turnstile/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <system_error>
#include <type_traits>

namespace turnstile {
namespace {

TEST(result, is_a_value) {
    result<std::string> one{"text"};
    ASSERT_TRUE(one);
    EXPECT_TRUE(one.has_value());
    EXPECT_EQ(*one, "text");
    EXPECT_EQ(one->size(), 4U);
    EXPECT_EQ(one.value(), "text");
    *one += '!';
    EXPECT_EQ(std::as_const(one).value(), "text!");
}

TEST(result, is_an_error) {
    const result<std::string> one{error{errc::timeout, "/locks/orders"}};
    ASSERT_FALSE(one);
    EXPECT_FALSE(one.has_value());
    EXPECT_EQ(one.error(), errc::timeout);
    EXPECT_NE(one.error().message().find("/locks/orders"), std::string::npos);
}

TEST(result, is_made_of_a_bare_code) {
    const result<int> one{errc::busy};
    EXPECT_EQ(one.error(), errc::busy);
    const result<void> nothing{errc::closed};
    EXPECT_EQ(nothing.error(), errc::closed);
}

TEST(result, throws_its_error_when_the_value_is_wanted_all_the_same) {
    result<int> one{error{errc::bad_path, "path \"x\""}};
    try {
        static_cast<void>(one.value());
        FAIL() << "nothing was thrown";
    } catch (const std::system_error& thrown) {
        EXPECT_EQ(thrown.code(), make_error_code(errc::bad_path));
        EXPECT_NE(std::string{thrown.what()}.find("path \"x\""), std::string::npos);
    }
    EXPECT_THROW(static_cast<void>(std::as_const(one).value()), std::system_error);
    EXPECT_THROW(static_cast<void>(std::move(one).value()), std::system_error);
    EXPECT_THROW((result<void>{errc::timeout}.value()), std::system_error);
}

TEST(result, hands_out_what_can_only_be_moved) {
    result<std::unique_ptr<int>> one{std::make_unique<int>(7)};
    const auto owned = std::move(one).value();
    EXPECT_EQ(*owned, 7);
    result<std::unique_ptr<int>> other{std::make_unique<int>(8)};
    const auto too = *std::move(other);
    EXPECT_EQ(*too, 8);
}

TEST(result, of_nothing_is_success_by_default) {
    const result<void> done;
    EXPECT_TRUE(done);
    EXPECT_NO_THROW(done.value());
}

// A conversion to bool that is not asked for would let `int n = result` compile.
static_assert(!std::is_convertible_v<result<std::string>, bool>);
static_assert(!std::is_convertible_v<result<void>, bool>);

}  // namespace
}  // namespace turnstile
