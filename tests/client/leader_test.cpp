// SPDX-License-Identifier: Apache-2.0
// Tests the class `leader` without a function: which participant leads, which listeners are notified, and what happens
// after a loss.
#include <future>
#include <stdexcept>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class polled : public shell_test, public ::testing::WithParamInterface<election_protocol> {
protected:
    std::unique_ptr<client> first = connect({.close_timeout = 50ms});
    std::unique_ptr<client> two = connect({.close_timeout = 50ms});
    leader ann{*first, "/seat", {.id = "ann", .data = "a:1", .protocol = GetParam()}};
    leader bob{*two, "/seat", {.id = "bob", .protocol = GetParam(), .pause = 0ms}};

    void SetUp() override {
        ann.start();
        ASSERT_TRUE(ann.await({.timeout = limit()}));
        bob.start();
        ASSERT_TRUE(eventually([&] { return names().size() == 2; }));
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        const auto all = bob.participants().value();
        for (const auto& each : all) found.push_back(each.id);
        return found;
    }
};

TEST_P(polled, the_first_leads_and_everybody_knows) {
    EXPECT_TRUE(ann.leads());
    EXPECT_FALSE(bob.leads());
    EXPECT_EQ(names(), (std::vector<std::string>{"ann", "bob"}));
    const auto leader = bob.present_leader().value();
    ASSERT_TRUE(leader);
    EXPECT_EQ(leader->id, "ann");
    EXPECT_TRUE(leader->leads);
    EXPECT_EQ(leader->token, ann.fencing_token());
    EXPECT_TRUE(bob.lost().stop_requested());
    EXPECT_FALSE(ann.lost().stop_requested());
    EXPECT_EQ(bob.commit(transaction{}.check("/")).error(), errc::not_held);
}

TEST_P(polled, the_next_one_leads_when_the_leader_leaves) {
    const auto ends = ann.lost();
    const auto before = ann.fencing_token();
    ann.close();
    EXPECT_FALSE(ann.leads());
    EXPECT_TRUE(ends.stop_requested());
    ASSERT_TRUE(bob.await(limit()));
    EXPECT_GT(bob.fencing_token(), before);
    EXPECT_EQ(ann.await().error(), errc::closed);
    ann.start();  // ann is at the end of the queue now
    EXPECT_TRUE(eventually([&] { return names() == std::vector<std::string>{"bob", "ann"}; }));
}

TEST_P(polled, its_work_is_stopped_before_the_next_one_can_lead) {
    std::vector<std::string> standing;
    const std::stop_callback stops{ann.lost(), [&] { standing = names(); }};
    ann.close();
    EXPECT_EQ(standing, (std::vector<std::string>{"ann", "bob"}));
}

TEST_P(polled, a_listener_that_throws_keeps_nothing_from_the_others) {
    event told;
    const auto throws = ann.on_change([](bool) { throw std::runtime_error{"of a listener"}; });
    const auto listens = ann.on_change([&](bool leads) {
        if (!leads) told.set();
    });
    ann.close();
    EXPECT_TRUE(told.wait());
}

TEST_P(polled, listeners_are_told_in_order) {
    std::promise<bool> elected;
    std::promise<bool> deposed;
    std::atomic<int> calls{0};
    const auto told =
        bob.on_change([&](bool leads) { (++calls == 1 ? elected : deposed).set_value(leads); });
    ann.close();
    EXPECT_TRUE(elected.get_future().get());
    bob.close();
    EXPECT_FALSE(deposed.get_future().get());
    EXPECT_EQ(calls, 2);
}

// Failure F4: in another library, a leader whose session has expired still believes that its znode exists. It then
// leads beside the next leader.
TEST_P(polled, F4_a_leader_that_loses_its_session_leads_no_more_and_queues_again) {
    const auto ends = ann.lost();
    faults.expire(first->session().id);
    ASSERT_TRUE(bob.await({.timeout = limit()}));
    EXPECT_TRUE(eventually([&] { return !ann.leads(); }))
        << "the expiry is an operator's, and told";
    EXPECT_TRUE(eventually([&] { return ends.stop_requested(); }));
    EXPECT_TRUE(eventually([&] { return names() == std::vector<std::string>{"bob", "ann"}; }));
    bob.close();
    EXPECT_TRUE(ann.await({.timeout = limit()}));
}

// Failure F3: two latches of another library delete and create znodes for ever, in reaction to each other.
TEST_P(polled, F3_after_a_loss_it_settles_in_a_bounded_number_of_znodes) {
    std::int64_t before = 0;
    faults.inspect([&](local::tree& t) { before = t.nodes().find("/seat")->creates; });
    faults.expire(first->session().id);
    ASSERT_TRUE(bob.await({.timeout = limit()}));
    ASSERT_TRUE(eventually([&] { return names() == std::vector<std::string>{"bob", "ann"}; }));
    faults.expire(two->session().id);
    ASSERT_TRUE(ann.await({.timeout = limit()}));
    ASSERT_TRUE(eventually([&] { return names() == std::vector<std::string>{"ann", "bob"}; }));
    std::int64_t after = 0;
    faults.inspect([&](local::tree& t) { after = t.nodes().find("/seat")->creates; });
    EXPECT_EQ(after - before, 2);  // each loss made a znode
}

TEST_P(polled, a_deleted_znode_is_a_loss_and_a_new_beginning) {
    const auto znode = "/seat/" + ann.present_leader().value()->znode;
    const auto ends = ann.lost();
    faults.inspect(
        [&](local::tree& t) { (void)t.apply(first->session().id, core::remove_op{znode}, 0); });
    EXPECT_EQ(ann.commit(transaction{}.check("/")).error(), errc::removed);
    EXPECT_TRUE(eventually([&] { return !ann.leads() || ann.fencing_token().zxid() != 0; }));
}

TEST_P(polled, waiting_ends_in_time) {
    EXPECT_EQ(bob.await({.timeout = 1ms}).error(), errc::timeout);
    std::stop_source stop;
    auto waiting =
        std::async(std::launch::async, [&] { return bob.await({.stop = stop.get_token()}); });
    stop.request_stop();
    EXPECT_EQ(waiting.get().error(), errc::cancelled);
    auto closed = std::async(std::launch::async, [&] { return bob.await(); });
    bob.close();
    EXPECT_EQ(closed.get().error(), errc::closed);
    const leader idle{*first, "/seat"};
    const auto early = leader(*first, "/seat").await();
    EXPECT_EQ(early.error(), errc::not_held);
    EXPECT_NE(early.error().message().find("call start() first"), std::string::npos);
}

TEST_P(polled, the_end_of_the_client_ends_it) {
    auto waiting = std::async(std::launch::async, [&] { return bob.await(); });
    two->close();
    EXPECT_EQ(waiting.get().error(), errc::closed);
    first->close();
    EXPECT_FALSE(ann.leads());
}

TEST_P(polled, identities_are_checked) {
    EXPECT_THROW(leader(*first, "/seat",
                        {.id = std::string(1025, 'x'), .protocol = election_protocol::latch}),
                 std::system_error);
    EXPECT_THROW(leader(*first, "/seat", {.id = "\xff", .protocol = election_protocol::latch}),
                 std::system_error);
    EXPECT_FALSE(leader(*first, "/seat").id().empty());
}

TEST_P(polled, a_mutex_on_the_same_path_is_in_the_selectors_queue_alone) {
    mutex other{*first, "/seat"};
    EXPECT_EQ(other.try_acquire().has_value(), GetParam() == election_protocol::latch);
}

TEST_P(polled, the_others_protocol_is_another_election) {
    const bool latch = GetParam() == election_protocol::latch;
    leader other{*first,
                 "/seat",
                 {.protocol = latch ? election_protocol::selector : election_protocol::latch}};
    other.start();
    EXPECT_TRUE(other.await({.timeout = limit()}));
    EXPECT_TRUE(ann.leads());
    EXPECT_EQ(other.participants().value().size(), 1U);
}

TEST_P(polled, what_it_publishes_is_told) {
    EXPECT_EQ(bob.present_leader().value()->data, "a:1");
    EXPECT_EQ(bob.participants().value().at(1).data, "");
    EXPECT_THROW(leader(*first, "/seat", {.data = std::string(1025, 'x')}), std::system_error);
    EXPECT_THROW(leader(*first, "/seat", {.data = "\xff"}), std::system_error);
    EXPECT_THROW(leader(*first, "/seat", {.id = "a\nturnstile-data=b"}), std::system_error);
}

TEST_P(polled, a_leader_that_resigns_queues_again_behind_all_others) {
    const auto ends = ann.lost();
    ann.resign();
    EXPECT_TRUE(ends.stop_requested());
    EXPECT_FALSE(ann.leads());
    ASSERT_TRUE(bob.await({.timeout = limit()}));
    EXPECT_TRUE(eventually([&] { return names() == std::vector<std::string>{"bob", "ann"}; }));
    bob.resign();
    EXPECT_TRUE(ann.await({.timeout = limit()}));
    EXPECT_EQ(ann.terms(), 2U);
}

TEST_P(polled, the_lead_moves_to_a_named_participant) {
    leader cyd{*two, "/seat", {.id = "cyd", .protocol = GetParam()}};
    cyd.start();
    ASSERT_TRUE(eventually([&] { return names().size() == 3; }));
    ASSERT_TRUE(ann.move_to("cyd", 1min));
    ASSERT_TRUE(cyd.await({.timeout = limit()}));
    EXPECT_EQ(bob.terms(), 0U);  // bob gave up the lead
}

TEST_P(polled, with_once_it_leads_once) {
    leader only{*first, "/other", {.protocol = GetParam(), .once = true}};
    only.start();
    ASSERT_TRUE(only.await({.timeout = limit()}));
    only.resign();
    EXPECT_EQ(only.await({.timeout = limit()}).error(), errc::closed);
    EXPECT_TRUE(eventually([&] { return only.participants().value().empty(); }));
    only.start();
    EXPECT_TRUE(only.await({.timeout = limit()}));
}

TEST_P(polled, what_the_leader_commits_is_guarded) {
    EXPECT_TRUE(ann.commit(transaction{}.create("/by-leader", "")));
}

INSTANTIATE_TEST_SUITE_P(protocols, polled,
                         ::testing::Values(election_protocol::selector, election_protocol::latch),
                         [](const auto& tested) {
                             return tested.param == election_protocol::latch ? "latch" : "selector";
                         });

}  // namespace
}  // namespace turnstile::tests
