// SPDX-License-Identifier: Apache-2.0
#include "turnstile/stop_signal.hpp"

#include <gtest/gtest.h>

#include <stop_token>
#include <type_traits>
#include <utility>

namespace turnstile {
namespace {

TEST(stop_signal, of_no_token_is_never_triggered) {
    const stop_signal none;
    EXPECT_FALSE(none.stop_possible());
    EXPECT_FALSE(none.stop_requested());
    EXPECT_EQ(std::stop_token{none}, std::stop_token{});
    const stop_signal of_an_empty_one{std::stop_token{}};
    EXPECT_FALSE(of_an_empty_one.stop_possible());
}

TEST(stop_signal, is_triggered_with_its_source) {
    std::stop_source source;
    const stop_signal signal{source.get_token()};
    EXPECT_TRUE(signal.stop_possible());
    EXPECT_FALSE(signal.stop_requested());
    EXPECT_EQ(std::stop_token{signal}, source.get_token());
    source.request_stop();
    EXPECT_TRUE(signal.stop_requested());
}

TEST(stop_signal, of_a_source_that_has_gone_cannot_be_triggered) {
    stop_signal signal;
    {
        std::stop_source source;
        signal = source.get_token();
        EXPECT_TRUE(signal.stop_possible());
    }
    EXPECT_FALSE(signal.stop_possible());
}

// Each of them shares the source's state and gives its share back: the sanitizers count.
TEST(stop_signal, is_copied_and_moved_like_a_token) {
    std::stop_source source;
    stop_signal first{source.get_token()};
    stop_signal copy{first};
    stop_signal moved{std::move(first)};
    EXPECT_FALSE(first.stop_possible());  // NOLINT(bugprone-use-after-move): as a token's
    stop_signal assigned;
    assigned = copy;
    auto& itself = assigned;
    assigned = itself;
    stop_signal other{std::stop_source{}.get_token()};
    other = std::move(moved);
    source.request_stop();
    EXPECT_TRUE(copy.stop_requested());
    EXPECT_TRUE(assigned.stop_requested());
    EXPECT_TRUE(other.stop_requested());
    copy = {};
    EXPECT_FALSE(copy.stop_possible());
}

TEST(stop_signal, stands_for_a_token_where_one_is_wanted) {
    std::stop_source source;
    const stop_signal signal{source.get_token()};
    int calls = 0;
    const std::stop_callback on_stop{signal, [&calls] { ++calls; }};
    source.request_stop();
    EXPECT_EQ(calls, 1);
    static_assert(std::is_nothrow_move_constructible_v<stop_signal>);
    static_assert(sizeof(stop_signal) == sizeof(std::stop_token));
}

}  // namespace
}  // namespace turnstile
