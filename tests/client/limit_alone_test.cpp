// SPDX-License-Identifier: Apache-2.0
// Tests that each call with options also accepts a timeout or a deadline in place of the options. The requests of the
// tested calls do not reach the servers, so only the timeout or the deadline ends a call.
#include <gmock/gmock.h>

#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "support.hpp"
#include "turnstile/node.hpp"
#include "turnstile/tools/make_folder.hpp"
#include "turnstile/tools/odd_znodes.hpp"
#include "turnstile/tools/path_trial.hpp"
#include "turnstile/tools/rolling_survey.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

// Errors of a call whose limit has passed. outcome_unknown is for writes.
const auto k_late = ::testing::AnyOf(errc::timeout, errc::outcome_unknown);

template <class T>
void expect_late(const char* call, const result<T>& outcome) {
    ASSERT_TRUE(outcome.has_error()) << call;
    EXPECT_THAT(outcome.error().code(), k_late) << call << ": " << outcome.error().message();
}

class limit_alone : public shell_test {
protected:
    // Without a limit, each call would take this session timeout, which is longer than a test.
    std::unique_ptr<client> servers =
        connect({.session_timeout = 60min, .connection_timeout = 60min, .close_timeout = 1ms});
    const transaction write = transaction{}.put("/data", "1");

    void stall() {
        faults.set_traffic(servers->session().id, local::traffic::stalls_before_server);
    }
};

#define EXPECT_LATE(call) expect_late(#call, call)

TEST_F(limit_alone, ends_the_queries_of_locks) {
    mutex plain{*servers, "/plain"};
    recursive_mutex again{*servers, "/again"};
    shared_mutex both{*servers, "/both"};
    semaphore some{*servers, "/some", 2};
    const auto hold = plain.acquire(limit()).value();
    const auto of_again = again.acquire(limit()).value();
    const auto of_both = both.acquire(limit()).value();
    const auto of_some = some.acquire(limit()).value();
    stall();
    EXPECT_LATE(plain.is_locked(1ms));
    EXPECT_LATE(plain.queue(1ms));
    EXPECT_LATE(plain.queue(std::chrono::steady_clock::now() + 1ms));
    EXPECT_LATE(plain.queue(std::chrono::system_clock::now() + 1ms));
    EXPECT_LATE(plain.holder(1ms));
    EXPECT_LATE(plain.position(hold, 1ms));
    EXPECT_LATE(again.is_locked(1ms));
    EXPECT_LATE(again.queue(1ms));
    EXPECT_LATE(again.holder(1ms));
    EXPECT_LATE(again.position(of_again, 1ms));
    EXPECT_LATE(both.is_locked(1ms));
    EXPECT_LATE(both.queue(1ms));
    EXPECT_LATE(both.holders(1ms));
    EXPECT_LATE(both.position(of_both, 1ms));
    EXPECT_LATE(some.limit(1ms));
    EXPECT_LATE(some.set_limit(3, 1ms));
    EXPECT_LATE(some.available(1ms));
    EXPECT_LATE(some.queue(1ms));
    EXPECT_LATE(some.holders(1ms));
    EXPECT_LATE(some.position(of_some, 1ms));
}

TEST_F(limit_alone, ends_the_query_of_a_majority_at_each_ensemble) {
    const client b{"local:" + fresh_tree()};
    const client c{"local:" + fresh_tree()};
    const quorum_lock most{{{*servers, "a"}, {b, "b"}, {c, "c"}}, "/most"};
    stall();
    EXPECT_LATE(most.heads(1ms).front());
}

TEST_F(limit_alone, ends_the_calls_of_gates) {
    job_gate job{*servers, "/job", {.period = 1h}};
    rate_gate rate{*servers, "/rate", {.entries = 2, .period = 1h}};
    stall();
    EXPECT_LATE(job.run([](job_run&) {}, 1ms));
    EXPECT_LATE(job.last(1ms));
    EXPECT_LATE(rate.enter(1ms));
    EXPECT_LATE(rate.try_enter(1ms));
    EXPECT_LATE(rate.state(1ms));
}

TEST_F(limit_alone, ends_the_calls_of_an_election) {
    leader seat{*servers, "/seat"};
    leader standby{*servers, "/seat", {.id = "standby"}};
    std::promise<void> begun;
    std::promise<void> stalled;
    std::promise<result<commit_result>> written;
    leader working{*servers,
                   "/work",
                   [&](leader_term& term) {
                       begun.set_value();
                       stalled.get_future().get();
                       written.set_value(term.commit(write, 1ms));
                   },
                   {.once = true}};
    seat.start();
    ASSERT_TRUE(seat.await(limit()));
    standby.start();
    working.start();
    begun.get_future().get();
    stall();
    stalled.set_value();
    EXPECT_LATE(written.get_future().get());
    EXPECT_LATE(standby.await(1ms));
    EXPECT_LATE(seat.commit(write, 1ms));
    EXPECT_LATE(seat.move_to("standby", 1min, 1ms));
    EXPECT_LATE(seat.participants(1ms));
    EXPECT_LATE(seat.present_leader(1ms));
}

TEST_F(limit_alone, ends_writes_and_reads) {
    mutex plain{*servers, "/plain"};
    const auto hold = plain.acquire(limit()).value();
    stall();
    EXPECT_LATE(hold.commit(write, 1ms));
    std::promise<result<commit_result>> written;
    hold.async_commit(
        write, 1ms, [&](result<commit_result> outcome) { written.set_value(std::move(outcome)); });
    EXPECT_LATE(written.get_future().get());
    EXPECT_LATE(read_node(*servers, "/data", 1ms));
    EXPECT_LATE(read_node(hold, "/data", 1ms));
}

TEST_F(limit_alone, ends_the_calls_of_operators) {
    mutex plain{*servers, "/plain"};
    const deadlock_detector cycles{*servers, {"/plain"}};
    rolling_survey round{*servers, "/"};
    stall();
    EXPECT_LATE(cycles.find(1ms));
    EXPECT_LATE(cycles.acquire(plain, 1ms));
    EXPECT_LATE(locks_below(*servers, "/", 1ms));
    EXPECT_LATE(locks_at(*servers, "/plain", 1ms));
    EXPECT_LATE(round.go_on(1ms));
    EXPECT_LATE(make_folder(*servers, "/a/b", 1ms));
    EXPECT_LATE(odd_znodes_below(*servers, "/", 1ms));
    EXPECT_LATE(remove_empty_folder(*servers, "/plain", 1ms));
    EXPECT_LATE(try_path(*servers, "/plain", 1ms));
}

}  // namespace
}  // namespace turnstile::tests
