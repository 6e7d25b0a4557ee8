// SPDX-License-Identifier: Apache-2.0
// Tests which sentinel's answer the client uses if several sentinels answer.
#include "redis/master_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstile::redis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const server_address k_first{"a", 1};
const server_address k_second{"b", 2};

sentinel_answer names(const server_address& master, std::int64_t epoch) {
    return {welcome::ok, {}, master, epoch};
}
sentinel_answer refuses(welcome result, std::string reason) {
    return {result, std::move(reason), {}, 0};
}

TEST(redis_master_search, one_answer_is_enough) {
    const auto found = choose(
        {refuses(welcome::away, "x"), names(k_first, 0), refuses(welcome::credentials, "y")});
    EXPECT_EQ(found.result, welcome::ok);
    EXPECT_THAT(found.candidates, ElementsAre(k_first));
}

TEST(redis_master_search, the_latest_configuration_counts) {
    const auto found = choose({names(k_first, 3), names(k_second, 4), names(k_first, 3)});
    EXPECT_THAT(found.candidates, ElementsAre(k_second)) << "the other one is a master of the past";
    EXPECT_EQ(found.epoch, 4);
}

TEST(redis_master_search, a_configuration_that_was_left_counts_no_more) {
    std::vector<sentinel_answer> answers{names(k_first, 6), names(k_first, 6), names(k_second, 7)};
    leave_out_older(answers, 7);
    EXPECT_THAT(choose(answers).candidates, ElementsAre(k_second));
    answers.pop_back();
    const auto none = choose(answers);
    EXPECT_EQ(none.result, welcome::away);
    EXPECT_THAT(none.reason, ::testing::HasSubstr("a:1 was replaced as master in epoch 7"));
}

TEST(redis_master_search, of_one_configuration_the_more_first) {
    const auto found = choose({names(k_first, 0), names(k_second, 0), names(k_second, 0)});
    EXPECT_THAT(found.candidates, ElementsAre(k_second, k_first));
}

TEST(redis_master_search, what_most_sentinels_refuse_is_told) {
    const auto refused = choose({refuses(welcome::away, "x"), refuses(welcome::credentials, "y"),
                                 refuses(welcome::credentials, "z")});
    EXPECT_EQ(refused.result, welcome::credentials);
    EXPECT_EQ(refused.reason, "x; y; z");
    EXPECT_THAT(refused.candidates, IsEmpty());
    const auto away = choose(
        {refuses(welcome::away, "x"), refuses(welcome::unfit, "y"), refuses(welcome::away, "z")});
    EXPECT_EQ(away.result, welcome::away) << "another sentinel may know the master";
}

}  // namespace
}  // namespace turnstile::redis
