// SPDX-License-Identifier: Apache-2.0
#include "turnstile/stop_any.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace turnstile {
namespace {

TEST(stop_any, is_triggered_by_each_of_its_tokens) {
    for (const bool by_first : {true, false}) {
        std::stop_source first;
        std::stop_source second;
        const stop_any any{first.get_token(), second.get_token()};
        EXPECT_FALSE(any.token().stop_requested());
        (by_first ? first : second).request_stop();
        EXPECT_TRUE(any.token().stop_requested());
    }
}

TEST(stop_any, of_a_token_that_is_triggered_already) {
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_TRUE((stop_any{std::stop_token{}, stopped.get_token()}.token().stop_requested()));
}

TEST(stop_any, triggers_nothing_but_its_own_token) {
    std::stop_source first;
    const std::stop_source second;
    const stop_any any{first.get_token(), second.get_token()};
    first.request_stop();
    EXPECT_FALSE(second.stop_requested());
}

TEST(stop_any, leaves_its_token_as_it_is_when_it_goes) {
    std::stop_source source;
    auto any =
        std::make_unique<stop_any>(std::initializer_list<std::stop_token>{source.get_token()});
    const auto token = any->token();
    any.reset();
    source.request_stop();
    EXPECT_FALSE(token.stop_requested());
}

}  // namespace
}  // namespace turnstile
