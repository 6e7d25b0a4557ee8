// SPDX-License-Identifier: Apache-2.0
// Tests guard::commit() on a tree in memory: writes, refusals and results.
#include <future>

#include <boost/thread/thread.hpp>

#include "needs_interruption.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class commits : public shell_test {
protected:
    std::unique_ptr<client> servers = connect({.close_timeout = 50ms});
    mutex lock{*servers, "/lock"};
    guard hold = lock.acquire().value();

    void SetUp() override {
        ASSERT_TRUE(hold.commit(transaction{}.create("/counter", "0").create("/list", "")));
    }
    // Returns the znode's data, or "(none)" if the znode does not exist.
    [[nodiscard]] std::string data(const std::string& path) {
        std::string found = "(none)";
        faults.inspect([&](local::tree& t) {
            if (const auto* node = t.nodes().find(path)) found = node->data;
        });
        return found;
    }
    void detach() {
        faults.detach(servers->session().id);
        ASSERT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
    }
};

TEST_F(commits, are_all_or_nothing) {
    const auto done = hold.commit(transaction{}
                                      .set("/counter", "1", 0)
                                      .create("/list/a", "x")
                                      .create("/list/n-", "y", node_kind::persistent_sequential)
                                      .check("/list")
                                      .remove("/list/a"));
    ASSERT_TRUE(done) << done.error().message();
    ASSERT_EQ(done->created.size(), 5U);
    EXPECT_TRUE(done->names_known);
    EXPECT_EQ(done->created[1], "/list/a");
    EXPECT_EQ(data(done->created[2]), "y");
    EXPECT_EQ(data("/counter"), "1");
    EXPECT_EQ(data("/list/a"), "(none)");

    const auto refused = hold.commit(transaction{}.set("/counter", "2").remove("/nothing"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::no_node);
    EXPECT_EQ(refused.error().part(), 1U);
    EXPECT_EQ(data("/counter"), "1");
}

TEST_F(commits, name_the_part_that_does_not_fit) {
    const auto code = [&](const transaction& writes) { return hold.commit(writes).error().code(); };
    EXPECT_EQ(code(transaction{}.set("/counter", "2", 7)), errc::bad_version);
    EXPECT_EQ(code(transaction{}.create("/counter", "")), errc::node_exists);
    ASSERT_TRUE(hold.commit(transaction{}.create("/list/a", "")));
    EXPECT_EQ(code(transaction{}.remove("/list")), errc::not_empty);
    EXPECT_EQ(code(transaction{}.check("/list", 4)), errc::bad_version);
    EXPECT_EQ(code(transaction{}.create("/none/a", "")), errc::no_node);
    EXPECT_EQ(data("/counter"), "0");
    EXPECT_TRUE(hold.valid());
}

TEST_F(commits, that_break_a_rule_are_not_sent) {
    const auto why = [&](const transaction& writes) { return hold.commit(writes).error(); };
    EXPECT_EQ(why({}), errc::bad_option);
    EXPECT_EQ(why(transaction{}.set("counter", "")), errc::bad_path);
    EXPECT_EQ(why(transaction{}.check("/counter").set("/a//b", "")).part(), 1U);
    EXPECT_EQ(why(transaction{}.set("/counter", "", -2)), errc::bad_option);
    EXPECT_EQ(why(transaction{}.set("/counter", std::string(transaction::k_most_bytes, 'x'))),
              errc::bad_option);
    EXPECT_EQ(why(transaction{}.remove(hold.znode())), errc::bad_option);
    EXPECT_EQ(why(transaction{}.remove("/")), errc::bad_path);
    transaction many;
    for (std::size_t i = 0; i <= transaction::k_most_parts; ++i) many.check("/counter");
    EXPECT_EQ(why(many), errc::bad_option);
    EXPECT_TRUE(hold.commit(transaction{}.create("/list/", "", node_kind::persistent_sequential)));
}

TEST_F(commits, of_one_hold_follow_each_other) {
    std::vector<std::future<result<commit_result>>> all;
    constexpr int k_commits = 20;
    for (int i = 0; i != k_commits; ++i) {
        auto told = std::make_shared<std::promise<result<commit_result>>>();
        all.push_back(told->get_future());
        hold.async_commit(transaction{}.set("/counter", std::to_string(i + 1), i), {},
                          [told](result<commit_result> r) { told->set_value(std::move(r)); });
    }
    hold.unlock();  // the hold is released after the commits
    for (auto& future : all) EXPECT_TRUE(future.get());
    EXPECT_EQ(data("/counter"), std::to_string(k_commits));
    EXPECT_TRUE(eventually([&] { return lock.queue().value().empty(); }));
}

// An operator deletes the znode, and the holder does not know that yet. The servers must refuse the commit.
TEST_F(commits, fail_once_the_znode_is_deleted) {
    faults.inspect([&](local::tree& t) {
        (void)t.apply(servers->session().id, core::remove_op{hold.znode()}, 0);
    });
    const auto done = hold.commit(transaction{}.set("/counter", "1"));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error(), errc::removed);
    EXPECT_EQ(data("/counter"), "0");
}

TEST_F(commits, go_on_when_the_holder_is_asked_to_release) {
    faults.inspect([&](local::tree& t) {
        (void)t.apply(servers->session().id, core::set_op{hold.znode(), "__REVOKE__"}, 0);
    });
    EXPECT_TRUE(hold.commit(transaction{}.set("/counter", "1")));
    EXPECT_EQ(data("/counter"), "1");
}

TEST_F(commits, fail_once_the_hold_is_taken_away) {
    faults.inspect([&](local::tree& t) {
        (void)t.apply(servers->session().id,
                      core::set_op{hold.znode(), "x revoke=take by=ops why=stuck"}, 0);
    });
    EXPECT_EQ(hold.commit(transaction{}.set("/counter", "1")).error(), errc::revoked);
    EXPECT_EQ(data("/counter"), "0");
}

TEST_F(commits, of_a_lost_hold_are_not_sent) {
    faults.expire(servers->session().id);
    ASSERT_TRUE(eventually([&] { return !hold.valid(); }));
    EXPECT_EQ(hold.commit(transaction{}.set("/counter", "1")).error(), errc::session_lost);
    EXPECT_EQ(guard{}.commit(transaction{}.set("/counter", "1")).error(), errc::not_held);
    EXPECT_EQ(data("/counter"), "0");
}

TEST_F(commits, without_a_connection_end_in_time_and_were_not_sent) {
    detach();
    EXPECT_EQ(hold.commit(transaction{}.set("/counter", "1"), {.timeout = 1ms}).error(),
              errc::not_connected);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(hold.commit(transaction{}.set("/counter", "1"), {.stop = stop.get_token()}).error(),
              errc::cancelled);
    faults.attach(servers->session().id);
    EXPECT_TRUE(hold.commit(transaction{}.check("/counter", 0)));
}

TEST_F(commits, wait_for_the_connection) {
    detach();
    auto done = std::async(std::launch::async,
                           [&] { return hold.commit(transaction{}.set("/counter", "1")); });
    faults.attach(servers->session().id);
    EXPECT_TRUE(done.get());
    EXPECT_EQ(data("/counter"), "1");
}

TEST_F(commits, are_interruption_points) {
    TURNSTILE_NEEDS_INTERRUPTION();
    detach();
    testing::event interrupted;
    boost::thread waiting{[&] {
        if (hold.commit(transaction{}.set("/counter", "1")).error() == errc::interrupted)
            interrupted.set();
    }};
    waiting.interrupt();
    EXPECT_TRUE(interrupted.wait());
    waiting.join();
}

TEST_F(commits, end_with_the_client) {
    detach();
    auto done = std::async(std::launch::async,
                           [&] { return hold.commit(transaction{}.set("/counter", "1")); });
    servers->close();
    EXPECT_EQ(done.get().error(), errc::closed);
    EXPECT_EQ(hold.commit(transaction{}.set("/counter", "1")).error(), errc::closed);
}

// Failure F38: a session may own only a limited number of ephemeral znodes.
TEST_F(commits, of_more_ephemeral_znodes_than_a_session_may_own_are_refused) {
    const auto many = [](const std::string& prefix) {
        transaction writes;
        for (int i = 0; i != 900; ++i)
            writes.create(prefix + std::string(80, 'x') + std::to_string(i), "",
                          node_kind::ephemeral);
        return writes;
    };
    ASSERT_TRUE(hold.commit(many("/list/a")));
    EXPECT_EQ(hold.commit(many("/list/b")).error(), errc::too_many);
    EXPECT_TRUE(hold.commit(transaction{}.create("/list/c", "", node_kind::ephemeral)));
}

TEST_F(commits, work_in_a_recursive_hold) {
    recursive_mutex again{*servers, "/again"};
    auto outer = again.acquire().value();
    auto inner = again.acquire().value();
    EXPECT_TRUE(inner.commit(transaction{}.set("/counter", "1", 0)));
    EXPECT_TRUE(outer.commit(transaction{}.set("/counter", "2", 1)));
    EXPECT_EQ(data("/counter"), "2");
}

}  // namespace
}  // namespace turnstile::tests
