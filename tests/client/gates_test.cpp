// SPDX-License-Identifier: Apache-2.0
// Tests job_gate and rate_gate: what they admit, how often, and what they write.
#include <gmock/gmock.h>

#include <future>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

class gates : public shell_test {
protected:
    std::unique_ptr<client> servers = connect({.close_timeout = 50ms});
    std::unique_ptr<client> others = connect({.close_timeout = 50ms});
};

using jobs = gates;
using rates = gates;

TEST_F(jobs, run_once_per_period_over_all_instances) {
    job_gate here{*servers, "/jobs/report", {.period = 1h}, "here"};
    job_gate there{*others, "/jobs/report", {.period = 1h}, "there"};
    EXPECT_EQ(here.last().value().state, job_state::never_run);
    int runs = 0;
    const auto first = here.run([&](job_run& run) {
        ++runs;
        EXPECT_EQ(run.number(), 1U);
        EXPECT_EQ(there.last().value().state, job_state::running);
        const auto beside = there.run([](job_run&) { FAIL(); }).value();
        EXPECT_EQ(beside.verdict, job_verdict::running);
        EXPECT_GT(beside.retry_in, 50min) << "a loop that sleeps for so long would spin";
    });
    ASSERT_TRUE(first) << first.error().message();
    EXPECT_EQ(first->verdict, job_verdict::ran);
    EXPECT_FALSE(first->unrecorded);
    const auto second = there.run([&](job_run&) { ++runs; });
    ASSERT_TRUE(second);
    EXPECT_EQ(second->verdict, job_verdict::not_due);
    EXPECT_GT(second->retry_in, 50min);
    EXPECT_LE(second->retry_in, 1h);
    EXPECT_EQ(runs, 1);
    const auto last = there.last().value();
    EXPECT_EQ(last, first->record);
    EXPECT_EQ(last.state, job_state::succeeded);
    EXPECT_EQ(last.by, "here");
    EXPECT_GE(last.ended, last.started);
}

TEST_F(jobs, that_run_without_a_period_are_asked_for_again_after_a_pause) {
    job_gate here{*servers, "/jobs/long", {}};
    job_gate there{*others, "/jobs/long", {}};
    const auto ran = here.run(
        [&](job_run&) { EXPECT_EQ(there.run([](job_run&) { FAIL(); }).value().retry_in, 1s); });
    EXPECT_TRUE(ran) << ran.error().message();
}

// The gate runs no job at a path where another recipe holds a lock.
TEST_F(jobs, beside_a_mutex_are_told_what_is_in_the_way) {
    const auto wary = connect({.foreign_kinds = foreign_kind_policy::refuse});
    mutex lock{*servers, "/jobs/shared"};
    const auto hold = lock.acquire({.timeout = limit(), .label = "backup"}).value();
    job_gate gate{*others, "/jobs/shared", {.period = 1h}};
    const auto refused = gate.run([](job_run&) { FAIL(); });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::busy);
    EXPECT_THAT(refused.error().message(),
                AllOf(HasSubstr("/jobs/shared: a lock that is no job_gate"),
                      HasSubstr("label \"backup\""), HasSubstr("foreign_kinds")));
    EXPECT_EQ(gate.run([](job_run&) { FAIL(); }, {.timeout = 1ms}).error(), errc::timeout);
    EXPECT_EQ(gate.run([](job_run&) { FAIL(); }, 1ms).error(), errc::timeout);
    job_gate strict{*wary, "/jobs/shared", {.period = 1h}};
    EXPECT_EQ(strict.run([](job_run&) { FAIL(); }).error(), errc::bad_option);
}

TEST_F(jobs, run_again_after_the_period_and_count_what_was_missed) {
    job_gate gate{*servers, "/jobs/often", {.period = 1ms, .at_most_for = 1h}};
    std::uint64_t number = 0;
    std::uint64_t missed = 0;
    EXPECT_TRUE(eventually([&] {
        const auto report = gate.run([&](job_run& run) {
            number = run.number();
            missed += run.missed();
        });
        return report && number >= 3 && missed > 0;
    }));
    EXPECT_GE(gate.last().value().number, 3U);
}

TEST_F(jobs, that_fail_are_written_down_and_count) {
    job_gate gate{*servers, "/jobs/fails", {.period = 1h}};
    EXPECT_THROW((void)gate.run([](job_run&) { throw std::runtime_error{"no"}; }),
                 std::runtime_error);
    EXPECT_EQ(gate.last().value().state, job_state::failed);
    EXPECT_EQ(gate.run([](job_run&) {}).value().verdict, job_verdict::not_due);
}

// The gate writes the start before the job begins. So a run counts as running for `at_most_for`, even if its process
// dies.
TEST_F(jobs, whose_lock_is_lost_are_taken_for_running) {
    job_gate here{*servers, "/jobs/lost", {.period = 1ms, .at_most_for = 1h}, "here"};
    job_gate there{*others, "/jobs/lost", {.period = 1ms, .at_most_for = 1h}};
    const auto report = here.run([&](job_run& run) {
        faults.expire(servers->session().id);
        ASSERT_TRUE(eventually([&] { return run.lost().stop_requested(); }));
        EXPECT_FALSE(run.lock().valid());
    });
    ASSERT_TRUE(report);
    EXPECT_EQ(report->verdict, job_verdict::ran);
    EXPECT_TRUE(report->unrecorded);
    const auto next = there.run([](job_run&) { FAIL(); }).value();
    EXPECT_EQ(next.verdict, job_verdict::running);
    EXPECT_GT(next.retry_in, 50min);
    EXPECT_EQ(next.record.by, "here");
    // This gate has a shorter at_most_for. By the servers' time stamps that time has passed, so the gate may start the
    // job again.
    job_gate bold{*others, "/jobs/lost", {.period = 1ms, .at_most_for = 1ms}};
    EXPECT_TRUE(
        eventually([&] { return bold.run([](job_run&) {}).value().verdict == job_verdict::ran; }));
}

TEST_F(jobs, are_not_started_by_whoever_lost_the_lock_meanwhile) {
    job_gate gate{*servers, "/jobs/stopped", {.period = 1h}};
    mutex same{*servers, "/jobs/stopped"};
    auto held = same.acquire().value();
    auto waiting = std::async(std::launch::async, [&] {
        return gate.run([](job_run&) { FAIL(); }, {.timeout = limit()});
    });
    ASSERT_TRUE(eventually([&] { return same.queue().value().size() == 2; }));
    servers->close();
    EXPECT_TRUE(waiting.get().has_error());
}

TEST_F(jobs, wait_for_the_lock_if_they_may) {
    job_gate gate{*servers, "/jobs/wait", {}};
    job_gate other{*others, "/jobs/wait", {}};
    event runs;
    event may_end;
    auto held = std::async(std::launch::async, [&] {
        return other.run([&](job_run&) {
            runs.set();
            EXPECT_TRUE(may_end.wait());
        });
    });
    ASSERT_TRUE(runs.wait());
    EXPECT_EQ(gate.run([](job_run&) { FAIL(); }).value().verdict, job_verdict::running);
    EXPECT_EQ(gate.run([](job_run&) { FAIL(); }, {.timeout = 1ms}).value().verdict,
              job_verdict::running);
    auto waiting = std::async(std::launch::async,
                              [&] { return gate.run([](job_run&) {}, {.timeout = limit()}); });
    may_end.set();
    EXPECT_EQ(held.get().value().verdict, job_verdict::ran);
    EXPECT_EQ(waiting.get().value().verdict, job_verdict::ran);
}

// Instances that take turns: each participant runs the job once while it leads, and then goes to the end of the queue.
TEST_F(jobs, go_round_the_leaders) {
    struct member {
        job_gate gate;
        leader seat;
    };
    constexpr std::size_t k_members = 3;
    constexpr std::size_t k_runs = 9;
    std::vector<std::string> ran;
    event runs;
    std::vector<std::unique_ptr<member>> members;
    const auto take_turn = [&](std::size_t which, leader_term& term) {
        auto& own = *members.at(which);
        while (!term.lost().stop_requested()) {
            const auto report = own.gate.run([&](job_run& run) {
                if (run.number() > k_runs) return;
                // The previous leader must be in the queue again.
                EXPECT_TRUE(eventually(
                    [&] { return own.seat.participants().value().size() == k_members; }));
                ran.push_back(own.seat.id());
                runs.set();
            });
            ASSERT_TRUE(report.has_value()) << report.error().message();
            if (report->verdict == job_verdict::ran) return;
        }
    };
    for (std::size_t i = 0; i != k_members; ++i) {
        const auto id = std::string(1, static_cast<char>('a' + i));
        members.push_back(std::unique_ptr<member>{
            new member{{*servers, "/jobs/turns", {.period = 1ms}, id},
                       {*servers,
                        "/rota",
                        [&take_turn, i](leader_term& term) { take_turn(i, term); },
                        {.id = id, .pause = 0ms}}}});
    }
    for (std::size_t i = 0; i != k_members; ++i) {
        members[i]->seat.start();
        ASSERT_TRUE(
            eventually([&] { return members[i]->seat.participants().value().size() == i + 1; }));
    }
    ASSERT_TRUE(runs.wait(k_runs));
    for (auto& each : members) each->seat.close();
    EXPECT_EQ(ran, (std::vector<std::string>{"a", "b", "c", "a", "b", "c", "a", "b", "c"}));
}

TEST_F(jobs, bad_rules_and_foreign_records_are_refused) {
    EXPECT_THROW(job_gate(*servers, "/j", {.period = -1s}), std::system_error);
    EXPECT_THROW(job_gate(*servers, "/j", {.at_most_for = 0s}), std::system_error);
    EXPECT_THROW(job_gate(*servers, "j", {.period = 1s}), std::system_error);
    job_gate gate{*servers, "/foreign", {.period = 1s}};
    mutex same{*servers, "/foreign"};
    ASSERT_TRUE(same.acquire()->commit(transaction{}.create("/foreign-record", "hello")));
    EXPECT_EQ(gate.last().error(), errc::protocol);
    EXPECT_EQ(gate.run([](job_run&) { FAIL(); }).error(), errc::protocol);
    EXPECT_THROW((void)gate.run(nullptr), std::system_error);
}

TEST_F(jobs, a_gate_refuses_the_path_of_the_other_gate) {
    rate_gate rate{*servers, "/rate", {.entries = 1, .period = 1h}};
    ASSERT_TRUE(rate.enter());
    job_gate job{*servers, "/job", {.period = 1h}};
    ASSERT_TRUE(job.run([](job_run&) {}).has_value());
    const auto refused = job_gate(*servers, "/rate", {.period = 1h}).run([](job_run&) { FAIL(); });
    EXPECT_EQ(refused.error(), (error{errc::bad_option,
                                      "/rate is the path of a rate_gate; give "
                                      "the job_gate another path"}));
    EXPECT_EQ(rate_gate(*servers, "/job", {.entries = 1, .period = 1h}).enter().error(),
              (error{errc::bad_option,
                     "/job is the path of a job_gate; give the rate_gate another "
                     "path"}));
}

TEST_F(rates, let_so_many_through_and_no_more) {
    rate_gate here{*servers, "/limit", {.entries = 3, .period = 1h}};
    rate_gate there{*others, "/limit", {.entries = 3, .period = 1h}};
    EXPECT_TRUE(here.try_enter());
    EXPECT_TRUE(there.try_enter());
    EXPECT_EQ(here.state().value().retry_in, 0s);
    EXPECT_TRUE(here.enter());
    EXPECT_EQ(there.try_enter().error(), errc::busy);
    EXPECT_EQ(here.enter({.timeout = 1ms}).error(), errc::timeout);
    EXPECT_EQ(here.enter(1ms).error(), errc::timeout);
    const auto refused = there.try_enter(limit());
    EXPECT_EQ(refused.error(), errc::busy);
    EXPECT_TRUE(refused.error().message().starts_with("the lock or gate is busy: " + there.path() +
                                                      ": the gate is full: 3 entries in the last "
                                                      "1 h; the next entry is possible in "))
        << refused.error().message();
    const auto now = there.state().value();
    EXPECT_EQ(now.entered, 3U);
    EXPECT_GT(now.retry_in, 50min);
}

TEST_F(rates, wait_for_room) {
    rate_gate gate{*servers, "/soon", {.entries = 1, .period = 20ms}};
    for (int i = 0; i != 5; ++i) ASSERT_TRUE(gate.enter({.timeout = limit()}));
}

TEST_F(rates, a_wait_ends_with_its_stop_token_or_the_client) {
    rate_gate gate{*servers, "/slow", {.entries = 1, .period = 1h}};
    ASSERT_TRUE(gate.enter());
    std::stop_source stop;
    auto waiting =
        std::async(std::launch::async, [&] { return gate.enter({.stop = stop.get_token()}); });
    stop.request_stop();
    EXPECT_EQ(waiting.get().error(), errc::cancelled);
    auto closed = std::async(std::launch::async, [&] { return gate.enter(); });
    servers->close();
    EXPECT_EQ(closed.get().error(), errc::closed);
}

TEST_F(rates, disagreement_is_an_error_that_names_both_rules) {
    ASSERT_TRUE(rate_gate(*servers, "/rule", {.entries = 2, .period = 1s}).enter());
    const auto other = rate_gate(*servers, "/rule", {.entries = 5, .period = 1min}).enter();
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error(), errc::bad_option);
    EXPECT_NE(other.error().message().find(
                  "allows 5 entries in 1 min, and the record at the servers allows 2 in 1 s"),
              std::string::npos);
    EXPECT_THROW(rate_gate(*servers, "/rule", {.entries = 0, .period = 1s}), std::system_error);
    EXPECT_THROW(rate_gate(*servers, "/rule", {.entries = 1}), std::system_error);
}

}  // namespace
}  // namespace turnstile::tests
