// SPDX-License-Identifier: Apache-2.0
// Uses turnstile::testing::simulation as a user's test of a service would: kinds of locks, permits, and entries through
// a rate gate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "turnstile/testing/simulation.hpp"

namespace turnstile::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto k_shared = "/locks/orders";

TEST(user_kinds, readers_share_and_a_writer_is_alone) {
    simulation run{{.seed = 8, .servers = 3}};
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    const auto reader = run.acquire(ann, k_shared, {.kind = contender_kind::reader});
    ASSERT_TRUE(run.run_until([&] { return run.valid(reader); }, 30s));
    const auto other = run.acquire(bob, k_shared, {.kind = contender_kind::reader});
    const auto upgradable = run.acquire(ann, k_shared, {.kind = contender_kind::upgradable});
    ASSERT_TRUE(run.run_until([&] { return run.valid(other) && run.valid(upgradable); }, 30s));
    const auto writer = run.acquire(bob, k_shared, {.kind = contender_kind::writer});
    run.run_for(10s);
    EXPECT_TRUE(run.waiting(writer));
    for (const auto& hold : {reader, other, upgradable}) run.release(hold);
    ASSERT_TRUE(run.run_until([&] { return run.valid(writer); }, 30s));
    run.settle();
}

TEST(user_kinds, permits_are_given_while_there_are_any) {
    simulation run{{.seed = 9, .servers = 3}};
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    const auto take = [&](simulated_client by, int permits) {
        return run.acquire(by, "/slots",
                           {.permits = simulated_permits{permit_count{permits}, permit_count{3}}});
    };
    const auto first = take(ann, 2);
    ASSERT_TRUE(run.run_until([&] { return run.valid(first); }, 30s));
    const auto second = take(bob, 2);
    run.run_for(10s);
    EXPECT_TRUE(run.waiting(second));
    run.crash(ann);
    ASSERT_TRUE(run.run_until([&] { return run.valid(second); }, 1min));
    const auto third = take(bob, 1);
    ASSERT_TRUE(run.run_until([&] { return run.valid(third); }, 30s));
    run.settle();
}

// Returns the message of the exception that `call` throws, or "accepted".
std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::system_error& why) {
        EXPECT_EQ(why.code(), errc::bad_option);
        return why.what();
    }
    return "accepted";
}

TEST(user_kinds, what_cannot_be_asked_for_is_refused) {
    simulation run;
    const auto ann = run.add_client();
    const auto acquire = [&](const simulated_call& call) {
        return refusal([&] { run.acquire(ann, k_shared, call); });
    };
    EXPECT_THAT(acquire({.kind = contender_kind::latch}), ::testing::HasSubstr("latch"));
    EXPECT_THAT(acquire({.kind = contender_kind::reader, .permits = simulated_permits{}}),
                ::testing::HasSubstr("permits of a reader"));
    EXPECT_THAT(acquire({.permits = simulated_permits{permit_count{0}, permit_count{3}}}),
                ::testing::HasSubstr("0 of 3 permits"));
    EXPECT_THAT(refusal([&] { run.enter(ann, "/calls", {.rule = {.entries = 0, .period = 1s}}); }),
                ::testing::HasSubstr("0 entries"));
    EXPECT_THAT(refusal([&] { run.run_job(ann, "/jobs/nightly", {.rules = {.period = -1s}}); }),
                ::testing::HasSubstr("period -1 s"));
    run.settle();
}

TEST(user_kinds, a_rate_gate_lets_so_many_in_within_its_period) {
    simulation run{{.seed = 5, .servers = 3}};
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    std::vector<boottime_clock::duration> entries;
    std::vector<error> refusals;
    const auto enter = [&](simulated_client by, simulated_attempt attempt) {
        run.enter(by, "/calls",
                  {.rule = {.entries = 2, .period = 10s},
                   .attempt = attempt,
                   .done = [&](const result<void>& outcome) {
                       if (!outcome) return refusals.push_back(outcome.error());
                       entries.push_back(run.now());
                   }});
    };
    enter(ann, simulated_attempt::wait);
    enter(bob, simulated_attempt::once);
    ASSERT_TRUE(run.run_until([&] { return entries.size() == 2; }, 5s));
    enter(ann, simulated_attempt::once);
    ASSERT_TRUE(run.run_until([&] { return refusals.size() == 1; }, 5s));
    EXPECT_EQ(refusals.front(), errc::busy);
    enter(ann, simulated_attempt::wait);
    ASSERT_TRUE(run.run_until([&] { return entries.size() == 3; }, 30s));
    EXPECT_GE(entries.at(2) - entries.at(0), 9s) << "the period, less the way of the first reply";
    EXPECT_EQ(refusals.size(), 1U);
    run.settle();
}

TEST(user_kinds, a_rate_gate_with_another_rule_is_refused) {
    simulation run{{.seed = 6}};
    const auto ann = run.add_client();
    std::vector<result<void>> outcomes;
    const auto note = [&](const result<void>& outcome) { outcomes.push_back(outcome); };
    run.enter(ann, "/calls", {.rule = {.entries = 2, .period = 10s}, .done = note});
    ASSERT_TRUE(run.run_until([&] { return outcomes.size() == 1; }, 10s));
    run.enter(ann, "/calls", {.rule = {.entries = 3, .period = 10s}, .done = note});
    ASSERT_TRUE(run.run_until([&] { return outcomes.size() == 2; }, 10s));
    EXPECT_TRUE(outcomes.at(0));
    ASSERT_FALSE(outcomes.at(1));
    EXPECT_EQ(outcomes.at(1).error(), errc::bad_option);
    run.settle();
}

TEST(user_kinds, a_caller_that_waits_for_room_does_not_keep_the_history_from_its_end) {
    simulation run{{.seed = 8, .servers = 3}};
    const auto ann = run.add_client();
    std::vector<result<void>> outcomes;
    const simulated_entry entry{
        .rule = {.entries = 1, .period = 24h},
        .done = [&](const result<void>& outcome) { outcomes.push_back(outcome); }};
    run.enter(ann, "/calls", entry);
    run.enter(ann, "/calls", entry);
    run.run_for(10s);
    EXPECT_EQ(outcomes.size(), 1U);
    run.settle();
    ASSERT_EQ(outcomes.size(), 2U);
    EXPECT_EQ(outcomes.at(1).error(), errc::closed);
}

// A caller's place in the queue belongs to the caller's session. When the session ends, the place is lost.
TEST(user_kinds, a_caller_that_waits_for_room_learns_that_its_place_is_lost) {
    simulation run{{.seed = 7, .servers = 3}};
    const auto ann = run.add_client();
    std::vector<result<void>> outcomes;
    const auto enter = [&] {
        run.enter(ann, "/calls",
                  {.rule = {.entries = 1, .period = 1h},
                   .done = [&](const result<void>& outcome) { outcomes.push_back(outcome); }});
    };
    enter();
    ASSERT_TRUE(run.run_until([&] { return outcomes.size() == 1; }, 10s));
    enter();
    run.run_for(5s);
    run.cut_off(ann, 1min);
    ASSERT_TRUE(run.run_until([&] { return outcomes.size() == 2; }, 1min));
    ASSERT_FALSE(outcomes.at(1));
    EXPECT_EQ(outcomes.at(1).error(), errc::session_lost);
    run.settle();
}

}  // namespace
}  // namespace turnstile::testing
