// SPDX-License-Identifier: Apache-2.0
// Tests the store of answers that extend the lease only if a later write commits (unproven_answers). The tests check
// which of these answers a write proves, and that the store contains only a few of them.
#include "core/lease/lease.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "unit/support/times.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;

constexpr duration k_bound = 12s;
constexpr duration k_grain = 1s;

// Adds a request, which was answered one second after it was sent.
void add(unproven_answers& answers, duration sent) {
    answers.remember(at(sent), at(sent + 1s), k_grain, k_bound);
}

TEST(unproven_answers, a_write_proves_what_was_answered_the_bound_before_it_was_sent) {
    unproven_answers answers;
    EXPECT_EQ(answers.next_proof(k_bound), std::nullopt);
    EXPECT_EQ(answers.take_proven(at(1h), k_bound), std::nullopt);
    add(answers, 10s);
    EXPECT_EQ(answers.next_proof(k_bound), at(23s));
    EXPECT_EQ(answers.take_proven(at(23s - 1ns), k_bound), std::nullopt);
    EXPECT_EQ(answers.take_proven(at(23s), k_bound), at(10s));
    EXPECT_EQ(answers.take_proven(at(23s), k_bound), std::nullopt) << "once";
}

TEST(unproven_answers, are_proven_in_the_order_in_which_they_were_sent) {
    unproven_answers answers;
    add(answers, 10s);
    add(answers, 12s);
    add(answers, 14s);
    EXPECT_EQ(answers.take_proven(at(25s), k_bound), at(10s));
    EXPECT_EQ(answers.take_proven(at(25s), k_bound), at(12s));
    EXPECT_EQ(answers.take_proven(at(25s), k_bound), std::nullopt);
    EXPECT_EQ(answers.next_proof(k_bound), at(27s));
}

TEST(unproven_answers, that_are_closer_together_than_the_grain_are_left_out) {
    unproven_answers answers;
    add(answers, 10s);
    add(answers, 11s - 1ns);
    add(answers, 11s);
    EXPECT_EQ(answers.take_proven(at(1h), k_bound), at(10s));
    EXPECT_EQ(answers.take_proven(at(1h), k_bound), at(11s));
    EXPECT_EQ(answers.take_proven(at(1h), k_bound), std::nullopt);
}

// Until the write at 40 s, the session sends only reads. The leader learns of a follower's answer within the relay
// bound, here 12 s. So the write proves the latest read that was answered at least 12 s before the write.
TEST(unproven_answers, of_those_that_are_old_enough_the_latest_is_kept) {
    unproven_answers answers;
    for (duration sent = 10s; sent <= 40s; sent += 2s) add(answers, sent);
    EXPECT_EQ(answers.take_proven(at(40s), k_bound), at(26s));
    EXPECT_EQ(answers.take_proven(at(40s), k_bound), std::nullopt);
}

TEST(unproven_answers, are_forgotten) {
    unproven_answers answers;
    add(answers, 10s);
    answers.forget();
    EXPECT_EQ(answers, unproven_answers{});
}

}  // namespace
}  // namespace turnstile::core
