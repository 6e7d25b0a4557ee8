// SPDX-License-Identifier: Apache-2.0
#include "turnstile/error.hpp"

#include <gtest/gtest.h>

#include <set>

#include "turnstile/result.hpp"

namespace turnstile {
namespace {

TEST(error, every_code_has_a_text_of_its_own) {
    std::set<std::string> texts;
    for (int code = 1; code <= static_cast<int>(errc::local_session); ++code) {
        const auto text = error_category().message(code);
        EXPECT_NE(text, "unknown error") << code;
        EXPECT_TRUE(texts.insert(text).second) << text;
    }
    EXPECT_EQ(error_category().message(0), "unknown error");
    EXPECT_EQ(error_category().message(static_cast<int>(errc::local_session) + 1), "unknown error");
}

TEST(error, message_names_the_text_and_what_is_known_beyond_it) {
    EXPECT_EQ(error{errc::closed}.message(), "the client is closed");
    EXPECT_EQ((error{errc::bad_path, "\"x\" has no slash"}.message()),
              "bad path: \"x\" has no slash");
}

TEST(error, compares_with_codes_and_standard_conditions) {
    EXPECT_TRUE(error{errc::busy} == errc::busy);
    EXPECT_FALSE(error{errc::busy} == errc::timeout);
    EXPECT_TRUE(std::error_code{errc::timeout} == std::errc::timed_out);
    EXPECT_TRUE(std::error_code{errc::would_deadlock} == std::errc::resource_deadlock_would_occur);
    EXPECT_FALSE(std::error_code{errc::removed} == std::errc::timed_out);
    EXPECT_STREQ(std::error_code{errc::removed}.category().name(), "turnstile");
}

TEST(error, is_thrown_as_a_system_error_with_the_same_code_and_message) {
    try {
        throw_error({errc::bad_option, "tick is 0"});
        FAIL();
    } catch (const std::system_error& thrown) {
        EXPECT_EQ(thrown.code(), errc::bad_option);
        EXPECT_STREQ(thrown.what(), "bad option: tick is 0");
    }
}

TEST(error, result_holds_a_value_or_an_error) {
    EXPECT_EQ(*result<int>{3}, 3);
    EXPECT_EQ(result<int>{errc::closed}.error(), errc::closed);
    EXPECT_THROW(static_cast<void>(result<int>{errc::closed}.value()), std::system_error);
    EXPECT_THROW(result<void>{errc::closed}.value(), std::system_error);
    EXPECT_NO_THROW(result<void>{}.value());
}

}  // namespace
}  // namespace turnstile
