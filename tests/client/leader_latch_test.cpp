// SPDX-License-Identifier: Apache-2.0
// leader_latch: which participant leads, which listeners are told, and what follows a loss.
#include <future>
#include <stdexcept>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class latch : public shell_test {
protected:
    std::unique_ptr<client> first = connect({.close_timeout = 50ms});
    std::unique_ptr<client> two = connect({.close_timeout = 50ms});
    leader_latch ann{*first, "/seat", {.id = "ann"}};
    leader_latch bob{*two, "/seat", {.id = "bob"}};

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

TEST_F(latch, the_first_leads_and_everybody_knows) {
    EXPECT_TRUE(ann.leads());
    EXPECT_FALSE(bob.leads());
    EXPECT_EQ(names(), (std::vector<std::string>{"ann", "bob"}));
    const auto leader = bob.leader().value();
    ASSERT_TRUE(leader);
    EXPECT_EQ(leader->id, "ann");
    EXPECT_TRUE(leader->leads);
    EXPECT_EQ(leader->token, ann.fencing_token());
    EXPECT_TRUE(bob.while_leading().stop_requested());
    EXPECT_FALSE(ann.while_leading().stop_requested());
    EXPECT_EQ(bob.commit(transaction{}.check("/")).error(), errc::not_held);
}

TEST_F(latch, the_next_one_leads_when_the_leader_leaves) {
    const auto ends = ann.while_leading();
    const auto before = ann.fencing_token();
    ann.close();
    EXPECT_FALSE(ann.leads());
    EXPECT_TRUE(ends.stop_requested());
    ASSERT_TRUE(bob.await({.timeout = limit()}));
    EXPECT_GT(bob.fencing_token(), before);
    EXPECT_EQ(ann.await().error(), errc::closed);
    ann.start();  // takes part again, behind
    EXPECT_TRUE(eventually([&] { return names() == std::vector<std::string>{"bob", "ann"}; }));
}

TEST_F(latch, its_work_is_stopped_before_the_next_one_can_lead) {
    std::vector<std::string> standing;
    const std::stop_callback stops{ann.while_leading(), [&] { standing = names(); }};
    ann.close();
    EXPECT_EQ(standing, (std::vector<std::string>{"ann", "bob"}));
}

TEST_F(latch, a_listener_that_throws_keeps_nothing_from_the_others) {
    event told;
    const auto throws = ann.on_change([](bool) { throw std::runtime_error{"of a listener"}; });
    const auto listens = ann.on_change([&](bool leads) {
        if (!leads) told.set();
    });
    ann.close();
    EXPECT_TRUE(told.wait());
}

TEST_F(latch, listeners_are_told_in_order) {
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

// F4: a leader whose session is over trusts its old path, and leads beside the next one.
TEST_F(latch, F4_whoever_loses_its_session_leads_no_more_and_queues_again) {
    const auto ends = ann.while_leading();
    faults.expire(first->session().id);
    ASSERT_TRUE(bob.await({.timeout = limit()}));
    EXPECT_TRUE(eventually([&] { return !ann.leads(); }))
        << "the expiry is an operator's, and told";
    EXPECT_TRUE(eventually([&] { return ends.stop_requested(); }));
    EXPECT_TRUE(eventually([&] { return names() == std::vector<std::string>{"bob", "ann"}; }));
    bob.close();
    EXPECT_TRUE(ann.await({.timeout = limit()}));
}

// F3: two latches delete and create their znodes in answer to each other, for ever.
TEST_F(latch, F3_after_a_loss_it_settles_in_a_bounded_number_of_znodes) {
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
    EXPECT_EQ(after - before, 2);  // one for each loss
}

TEST_F(latch, a_deleted_znode_is_a_loss_and_a_new_beginning) {
    const auto znode = "/seat/" + ann.leader().value()->znode;
    const auto ends = ann.while_leading();
    faults.inspect(
        [&](local::tree& t) { (void)t.apply(first->session().id, core::remove_op{znode}, 0); });
    EXPECT_EQ(ann.commit(transaction{}.check("/")).error(), errc::removed);
    EXPECT_TRUE(eventually([&] { return !ann.leads() || ann.fencing_token().zxid() != 0; }));
}

TEST_F(latch, waiting_ends_in_time) {
    EXPECT_EQ(bob.await({.timeout = 1ms}).error(), errc::timeout);
    std::stop_source stop;
    auto waiting =
        std::async(std::launch::async, [&] { return bob.await({.stop = stop.get_token()}); });
    stop.request_stop();
    EXPECT_EQ(waiting.get().error(), errc::cancelled);
    auto closed = std::async(std::launch::async, [&] { return bob.await(); });
    bob.close();
    EXPECT_EQ(closed.get().error(), errc::closed);
    const leader_latch idle{*first, "/seat"};
    EXPECT_EQ(leader_latch(*first, "/seat").await().error(), errc::not_held);
}

TEST_F(latch, the_end_of_the_client_ends_it) {
    auto waiting = std::async(std::launch::async, [&] { return bob.await(); });
    two->close();
    EXPECT_EQ(waiting.get().error(), errc::closed);
    first->close();
    EXPECT_FALSE(ann.leads());
}

TEST_F(latch, identities_are_checked) {
    EXPECT_THROW(leader_latch(*first, "/seat", {.id = std::string(1025, 'x')}), std::system_error);
    EXPECT_THROW(leader_latch(*first, "/seat", {.id = "\xff"}), std::system_error);
    EXPECT_FALSE(leader_latch(*first, "/seat").id().empty());
}

TEST_F(latch, a_mutex_on_the_same_path_is_another_queue) {
    mutex other{*first, "/seat"};
    EXPECT_TRUE(other.try_acquire());
}

TEST_F(latch, what_the_leader_commits_is_guarded) {
    EXPECT_TRUE(ann.commit(transaction{}.create("/by-leader", "")));
}

}  // namespace
}  // namespace turnstile::tests
