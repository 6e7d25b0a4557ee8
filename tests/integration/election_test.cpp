// SPDX-License-Identifier: Apache-2.0
// Tests elections, job_gate and rate_gate on a real server: a leader without a connection, lost answers, and the
// server's time stamps.
#include <atomic>

#include "support.hpp"

namespace turnstile::tests {
namespace {

// A client whose connection goes through a proxy.
struct member {
    tcp_proxy proxy{server().connect_string(0)};
    std::unique_ptr<client> servers = connect(proxy.address());
};

TEST(election, F4_a_leader_that_is_cut_off_does_not_lead_when_the_next_one_does) {
    member cut_off;
    member healthy;
    leader ann{*cut_off.servers, lock_path(), {.id = "ann", .data = "10.0.0.1:80"}};
    leader bob{*healthy.servers, lock_path(), {.id = "bob"}};
    testing::event saw_ann;
    testing::event saw_bob;
    const leader_watch watch{*healthy.servers, lock_path(),
                             [&](const std::optional<participant>& leads) {
                                 if (leads && leads->data == "10.0.0.1:80") saw_ann.set();
                                 if (leads && leads->id == "bob") saw_bob.set();
                             }};
    ann.start();
    ASSERT_TRUE(ann.await({.timeout = limit()}));
    EXPECT_TRUE(saw_ann.wait());
    bob.start();
    ASSERT_TRUE(eventually([&] { return bob.participants().value().size() == 2; }));
    const auto ends = ann.lost();
    const auto before = ann.fencing_token();
    cut_off.proxy.black_hole();
    ASSERT_TRUE(bob.await({.timeout = limit()}));
    EXPECT_FALSE(ann.leads());
    EXPECT_TRUE(eventually([&] { return ends.stop_requested(); }));
    EXPECT_GT(bob.fencing_token(), before);
    EXPECT_TRUE(saw_bob.wait());
    cut_off.proxy.pass();
    bob.close();
    EXPECT_TRUE(ann.await({.timeout = limit()}));  // ann queues again
}

TEST(election, terms_go_round_and_move_over_a_real_server) {
    member first;
    member two;
    std::atomic<int> inside{0};
    std::atomic<bool> violated{false};
    const auto duty = [&](leader_term& term) {
        if (inside.fetch_add(1) != 0) violated = true;
        testing::event stopped;
        const std::stop_callback told{term.lost(), [&] { stopped.set(); }};
        EXPECT_TRUE(stopped.wait());
        inside.fetch_sub(1);
    };
    leader ann{*first.servers, lock_path(), duty, {.id = "ann"}};
    leader bob{*two.servers, lock_path(), duty, {.id = "bob"}};
    ann.start();
    ASSERT_TRUE(eventually([&] { return ann.leads(); }));
    bob.start();
    for (int round = 0; round != 3; ++round) {
        ASSERT_TRUE(eventually([&] { return ann.participants().value().size() == 2; }));
        ann.resign();
        ASSERT_TRUE(eventually([&] { return bob.leads(); }));
        ASSERT_TRUE(eventually([&] { return ann.participants().value().size() == 2; }));
        ASSERT_TRUE(bob.move_to("ann", 1min, {.timeout = limit()}));
        ASSERT_TRUE(eventually([&] { return ann.leads(); }));
    }
    ann.close();
    bob.close();
    EXPECT_FALSE(violated);
}

TEST(gates, a_job_whose_starts_answer_is_lost_runs_once) {
    member mine;
    const auto observer = connect(server().connect_string());
    job_gate gate{*mine.servers, lock_path(), {.period = 1h}};
    job_gate other{*observer, lock_path(), {.period = 1h}};
    std::atomic<int> multis{0};
    constexpr int k_start = 2;  // the first request reads the time, the second records the start
    mine.proxy.filter(direction::to_client, [&](frame& frame) {
        const bool start = frame.is(frame_kind::reply, opcode::multi) && ++multis == k_start;
        return start ? verdict::cut_connection : verdict::forward;
    });
    int runs = 0;
    const auto report = gate.run([&](job_run&) { ++runs; }, {.timeout = limit()});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->verdict, job_verdict::ran);
    EXPECT_EQ(runs, 1);
    EXPECT_GE(multis, k_start);
    // The previous run did not wait until its lock was released, so this run may have to wait.
    const auto again = other.run([&](job_run&) { ++runs; }, {.timeout = limit()});
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->verdict, job_verdict::not_due);
    const auto last = other.last().value();
    EXPECT_EQ(last, report->record);
    EXPECT_EQ(last.number, 1U);
    EXPECT_EQ(last.state, job_state::succeeded);
}

TEST(gates, entries_are_counted_over_clients) {
    member first;
    member two;
    rate_gate here{*first.servers, lock_path(), {.entries = 3, .period = 1h}};
    rate_gate there{*two.servers, lock_path(), {.entries = 3, .period = 1h}};
    EXPECT_TRUE(here.try_enter({.timeout = limit()}));
    EXPECT_TRUE(there.try_enter({.timeout = limit()}));
    EXPECT_TRUE(here.enter({.timeout = limit()}));
    EXPECT_EQ(there.try_enter({.timeout = limit()}).error(), errc::busy);
    EXPECT_EQ(here.state({.timeout = limit()}).value().entered, 3U);
}

}  // namespace
}  // namespace turnstile::tests
