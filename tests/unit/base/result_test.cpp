// SPDX-License-Identifier: Apache-2.0
#include "turnstile/result.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>

namespace turnstile {
namespace {

TEST(result, is_a_value) {
    result<std::string> text{"text"};
    ASSERT_TRUE(text);
    EXPECT_TRUE(text.has_value());
    EXPECT_EQ(*text, "text");
    EXPECT_EQ(text->size(), 4U);
    EXPECT_EQ(text.value(), "text");
    *text += '!';
    EXPECT_EQ(std::as_const(text).value(), "text!");
}

TEST(result, is_an_error) {
    const result<std::string> failed{error{errc::timeout, "/locks/orders"}};
    ASSERT_FALSE(failed);
    EXPECT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error(), errc::timeout);
    EXPECT_NE(failed.error().message().find("/locks/orders"), std::string::npos);
}

// A `for` loop may have the value of a temporary result as its range. The loop must then own that value.
TEST(result, of_an_rvalue_returns_the_value_itself) {
    const auto make = [] { return result<std::string>{std::string(100, 'a')}; };
    static_assert(std::same_as<decltype(make().value()), std::string>);
    static_assert(std::same_as<decltype(*make()), std::string>);
    std::size_t seen = 0;
    for (const char letter : make().value()) seen += letter == 'a' ? 1U : 0U;
    for (const char letter : *make()) seen += letter == 'a' ? 1U : 0U;
    EXPECT_EQ(seen, 200U);
}

TEST(result, is_made_of_a_bare_code) {
    const result<int> failed{errc::busy};
    EXPECT_EQ(failed.error(), errc::busy);
    const result<void> nothing{errc::closed};
    EXPECT_EQ(nothing.error(), errc::closed);
}

TEST(result, throws_its_error_when_the_value_is_wanted_all_the_same) {
    result<int> failed{error{errc::bad_path, "path \"x\""}};
    try {
        static_cast<void>(failed.value());
        FAIL() << "nothing was thrown";
    } catch (const std::system_error& thrown) {
        EXPECT_EQ(thrown.code(), make_error_code(errc::bad_path));
        EXPECT_NE(std::string{thrown.what()}.find("path \"x\""), std::string::npos);
    }
    EXPECT_THROW(static_cast<void>(std::as_const(failed).value()), std::system_error);
    EXPECT_THROW(static_cast<void>(std::move(failed).value()), std::system_error);
    EXPECT_THROW((result<void>{errc::timeout}.value()), std::system_error);
}

TEST(result, ends_the_process_where_its_value_is_missing) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    result<std::string> failed{error{errc::bad_path, "path \"x\""}};
    constexpr const char* k_why = "the value of a call that failed: bad path: path \"x\"";
    EXPECT_DEATH(static_cast<void>(*failed), k_why);
    EXPECT_DEATH(static_cast<void>(*std::as_const(failed)), k_why);
    EXPECT_DEATH(static_cast<void>(*std::move(failed)), k_why);
    EXPECT_DEATH(static_cast<void>(failed->size()), k_why);
    EXPECT_DEATH(static_cast<void>(std::as_const(failed)->size()), k_why);
}

TEST(result, ends_the_process_where_its_error_is_missing) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    result<std::string> text{"text"};
    result<void> done;
    constexpr const char* k_why = "the error of a call that succeeded";
    EXPECT_DEATH(static_cast<void>(text.error()), k_why);
    EXPECT_DEATH(static_cast<void>(std::move(text).error()), k_why);
    EXPECT_DEATH(static_cast<void>(done.error()), k_why);
    EXPECT_DEATH(static_cast<void>(std::move(done).error()), k_why);
}

TEST(result, hands_out_what_can_only_be_moved) {
    result<std::unique_ptr<int>> first{std::make_unique<int>(7)};
    const auto owned = std::move(first).value();
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

// ---- members that std::expected has as well -----------------------------------------------------

const result<std::string> k_text{"text"};
const result<std::string> k_busy{error{errc::busy, "somebody is ahead"}};

TEST(result, value_or_is_the_value_or_the_other_one) {
    EXPECT_EQ(k_text.value_or("other"), "text");
    EXPECT_EQ(k_busy.value_or("other"), "other");
    const auto owned = result<std::unique_ptr<int>>{std::make_unique<int>(7)}.value_or(nullptr);
    EXPECT_EQ(*owned, 7);
    EXPECT_EQ(result<std::unique_ptr<int>>{errc::busy}.value_or(nullptr), nullptr);
}

TEST(result, and_then_goes_on_with_the_value_and_only_with_it) {
    const auto size = [](const std::string& text) -> result<std::size_t> {
        if (text.empty()) return errc::bad_option;
        return text.size();
    };
    static_assert(std::same_as<decltype(k_text.and_then(size)), result<std::size_t>>);
    EXPECT_EQ(k_text.and_then(size).value(), 4U);
    EXPECT_EQ(result<std::string>{""}.and_then(size).error(), errc::bad_option);
    EXPECT_EQ(k_busy.and_then(size).error().detail(), "somebody is ahead");
    int calls = 0;
    const auto count = [&](const std::string&) -> result<void> {
        ++calls;
        return {};
    };
    EXPECT_FALSE(k_busy.and_then(count));
    EXPECT_EQ(calls, 0);
    EXPECT_TRUE(k_text.and_then(count));
    EXPECT_EQ(calls, 1);
}

TEST(result, and_then_may_change_what_it_is_called_on) {
    result<std::string> text{"text"};
    const auto add = [](std::string& to) -> result<void> {
        to += '!';
        return {};
    };
    EXPECT_TRUE(text.and_then(add));
    EXPECT_EQ(*text, "text!");
}

TEST(result, transform_makes_a_result_of_what_is_returned) {
    EXPECT_EQ(k_text.transform(&std::string::size).value(), 4U);
    EXPECT_EQ(k_busy.transform(&std::string::size).error(), errc::busy);
    struct pair {
        int first = 1;
    };
    EXPECT_EQ(result<pair>{pair{}}.transform(&pair::first).value(), 1);
    std::string seen;
    const auto look = [&](const std::string& text) { seen = text; };
    static_assert(std::same_as<decltype(k_text.transform(look)), result<void>>);
    EXPECT_TRUE(k_text.transform(look));
    EXPECT_EQ(seen, "text");
    EXPECT_FALSE(k_busy.transform(look));
}

TEST(result, transform_moves_on_what_can_only_be_moved) {
    const auto same = [](std::unique_ptr<int> owned) { return owned; };
    const auto owned = result<std::unique_ptr<int>>{std::make_unique<int>(7)}.transform(same);
    EXPECT_EQ(**owned, 7);
}

TEST(result, or_else_goes_on_with_the_error_and_only_with_it) {
    const auto forgive = [](const error& why) -> result<std::string> {
        if (why == errc::busy) return std::string{"later"};
        return why;
    };
    EXPECT_EQ(k_busy.or_else(forgive).value(), "later");
    EXPECT_EQ(k_text.or_else(forgive).value(), "text");
    EXPECT_EQ(result<std::string>{errc::closed}.or_else(forgive).error(), errc::closed);
    const result<void> failed{errc::timeout};
    EXPECT_TRUE(failed.or_else([](const error&) { return result<void>{}; }));
}

TEST(result, transform_error_says_more) {
    const auto more = [](const error& why) { return error{why.code(), "orders: " + why.detail()}; };
    EXPECT_EQ(k_busy.transform_error(more).error().detail(), "orders: somebody is ahead");
    EXPECT_EQ(k_text.transform_error(more).value(), "text");
    EXPECT_EQ(result<void>{errc::busy}.transform_error(more).error().detail(), "orders: ");
}

TEST(result, of_nothing_goes_on_without_an_argument) {
    const result<void> done;
    EXPECT_EQ(done.transform([] { return 7; }).value(), 7);
    EXPECT_EQ(done.and_then([] { return result<int>{8}; }).value(), 8);
    const result<void> failed{errc::timeout};
    EXPECT_EQ(failed.transform([] { return 7; }).error(), errc::timeout);
    EXPECT_EQ(failed.and_then([] { return result<int>{8}; }).error(), errc::timeout);
}

// An implicit conversion to bool would let `int n = result` compile.
static_assert(!std::is_convertible_v<result<std::string>, bool>);
static_assert(!std::is_convertible_v<result<void>, bool>);

}  // namespace
}  // namespace turnstile
