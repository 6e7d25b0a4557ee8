// SPDX-License-Identifier: Apache-2.0
// Tests commits that contain put() and make(), and commits under several holds, on trees in memory.
#include <future>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class planned_commits : public shell_test {
protected:
    std::unique_ptr<client> servers = connect({.close_timeout = 50ms});
    std::unique_ptr<client> strangers = connect({.close_timeout = 50ms});
    mutex lock{*servers, "/lock"};
    mutex second{*servers, "/second"};
    mutex theirs{*strangers, "/theirs"};
    guard hold = lock.acquire().value();

    // Returns the znode's data, or "(none)" if the znode does not exist.
    [[nodiscard]] std::string data(const std::string& path) {
        std::string found = "(none)";
        faults.inspect([&](local::tree& t) {
            if (const auto* node = t.nodes().find(path)) found = node->data;
        });
        return found;
    }
    void remove_by_hand(const std::string& path) {
        faults.inspect([&](local::tree& t) {
            (void)t.apply(servers->session().id, core::remove_op{path}, 0);
        });
    }
    void detach() {
        faults.detach(servers->session().id);
        ASSERT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
    }
    std::future<result<commit_result>> start(guard& by, const transaction& writes) {
        auto told = std::make_shared<std::promise<result<commit_result>>>();
        by.async_commit(writes, {},
                        [told](result<commit_result> r) { told->set_value(std::move(r)); });
        return told->get_future();
    }
};

TEST_F(planned_commits, put_sets_or_creates_and_tells_the_version) {
    const auto created = hold.commit(transaction{}.put("/a", "1").check("/"));
    ASSERT_TRUE(created) << created.error().message();
    EXPECT_EQ(created->created, (std::vector<std::string>{"/a", ""}));
    EXPECT_EQ(created->versions, (std::vector{0, any_version}));
    const auto set = hold.commit(transaction{}.put("/a", "2"));
    ASSERT_TRUE(set) << set.error().message();
    EXPECT_EQ(set->created, std::vector<std::string>{""});
    EXPECT_EQ(set->versions, std::vector{1});
    EXPECT_EQ(data("/a"), "2");
    EXPECT_TRUE(hold.commit(transaction{}.set("/a", "3", set->versions[0])));
}

TEST_F(planned_commits, make_makes_the_parents_and_leaves_what_is_there) {
    const auto done = hold.commit(transaction{}.make("/shop/log/today").put("/shop/log/7", "x"));
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done->created, (std::vector<std::string>{"/shop/log/today", "/shop/log/7"}));
    EXPECT_EQ(data("/shop/log/today"), "");
    ASSERT_TRUE(hold.commit(transaction{}.set("/shop/log", "kept")));
    const auto again = hold.commit(transaction{}.make("/shop/log/today"));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->created, std::vector<std::string>{""});
    EXPECT_EQ(data("/shop/log"), "kept");
}

TEST_F(planned_commits, a_part_that_does_not_fit_leaves_nothing) {
    const auto refused =
        hold.commit(transaction{}.make("/x/y").put("/x/y/z", "1").set("/none", ""));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::no_node);
    EXPECT_EQ(refused.error().part(), 2U);
    EXPECT_EQ(data("/x"), "(none)");
    const auto orphan = hold.commit(transaction{}.put("/x/y", "1"));
    EXPECT_EQ(orphan.error(), errc::no_node);
    EXPECT_EQ(orphan.error().part(), 0U);
}

TEST_F(planned_commits, that_break_a_rule_are_not_sent) {
    const auto why = [&](const transaction& writes) { return hold.commit(writes).error(); };
    EXPECT_EQ(why(transaction{}.put("a", "")), errc::bad_path);
    EXPECT_EQ(why(transaction{}.make("/")), errc::bad_path);
    EXPECT_EQ(why(transaction{}.make("/a/")), errc::bad_path);
    EXPECT_EQ(why(transaction{}.put(hold.znode(), "")), errc::bad_option);
    EXPECT_EQ(why(transaction{}.put("/a", std::string(transaction::k_most_bytes, 'x'))),
              errc::bad_option);
    EXPECT_TRUE(hold.commit(transaction{}.put("/", "the root is there")));
}

TEST_F(planned_commits, of_one_hold_follow_each_other_and_the_release_follows_them) {
    std::vector<std::future<result<commit_result>>> all;
    for (int i = 0; i != 20; ++i)
        all.push_back(start(hold, transaction{}.put("/a", std::to_string(i))));
    hold.unlock();
    for (int i = 0; i != 20; ++i) {
        const auto done = all[static_cast<std::size_t>(i)].get();
        ASSERT_TRUE(done) << done.error().message();
        EXPECT_EQ(done->versions, std::vector{i});
    }
    EXPECT_EQ(data("/a"), "19");
    EXPECT_TRUE(eventually([&] { return lock.queue().value().empty(); }));
}

// Holders of two different locks put and remove the same znode. A put first reads whether the znode exists. The answer
// may be outdated when the commit arrives, and then the library reads again.
TEST_F(planned_commits, other_clients_that_write_meanwhile_are_read_again) {
    auto other = theirs.acquire().value();
    auto removing = std::async(std::launch::async, [&] {
        int removed = 0;
        for (int i = 0; i != 200; ++i)
            if (other.commit(transaction{}.remove("/a"))) ++removed;
        return removed;
    });
    for (int i = 0; i != 200; ++i) {
        const auto done = hold.commit(transaction{}.put("/a", std::to_string(i)));
        ASSERT_TRUE(done) << done.error().message();
    }
    EXPECT_GE(removing.get(), 0);
}

TEST_F(planned_commits, without_a_connection_end_in_time_and_were_not_sent) {
    detach();
    EXPECT_EQ(hold.commit(transaction{}.put("/a", "1"), {.timeout = 1ms}).error(),
              errc::not_connected);
    faults.attach(servers->session().id);
    EXPECT_TRUE(hold.commit(transaction{}.put("/a", "2")));
    EXPECT_EQ(data("/a"), "2");
}

TEST_F(planned_commits, end_with_the_session) {
    faults.set_traffic(servers->session().id, local::traffic::stalls_after_server);
    auto done = start(hold, transaction{}.put("/a", "1"));
    faults.expire(servers->session().id);
    EXPECT_EQ(done.get().error(), errc::session_lost);
    EXPECT_EQ(data("/a"), "(none)");
}

// ---- commits under several holds ------------------------------------------------------------

TEST_F(planned_commits, all_holds_are_checked) {
    auto mine = second.acquire().value();
    auto other = theirs.acquire().value();
    const auto writes = transaction{}.put("/a", "1").under(mine).under(other).under(mine);
    const auto done = hold.commit(writes);
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done->versions, std::vector{0});

    // An operator deletes the znode, and its holder does not know that yet. The servers must refuse the commit.
    faults.set_traffic(strangers->session().id, local::traffic::stalls_after_server);
    const auto znode = other.znode();
    remove_by_hand(znode);
    const auto late = hold.commit(writes);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), errc::removed);
    EXPECT_NE(late.error().message().find(znode), std::string::npos) << late.error().message();
    EXPECT_EQ(data("/a"), "1");
    EXPECT_TRUE(hold.valid());
}

TEST_F(planned_commits, a_hold_that_is_no_more_or_elsewhere_is_refused) {
    const auto why = [&](const guard& further) {
        return hold.commit(transaction{}.put("/a", "1").under(further)).error();
    };
    EXPECT_EQ(why(guard{}), errc::not_held);

    client elsewhere{"local:" + fresh_tree()};
    mutex far{elsewhere, "/far"};
    const auto distant = far.acquire().value();
    EXPECT_EQ(why(distant), errc::bad_option);
    EXPECT_NE(why(distant).message().find("same servers"), std::string::npos);

    auto held = second.acquire().value();
    EXPECT_EQ(hold.commit(transaction{}.under(held).remove(held.znode())).error(),
              errc::bad_option);
    const auto kept = transaction{}.put("/a", "1").under(held);
    held.unlock();
    EXPECT_EQ(hold.commit(kept).error(), errc::not_held);
    EXPECT_EQ(start(hold, kept).get().error(), errc::not_held);
    EXPECT_EQ(data("/a"), "(none)");
}

TEST_F(planned_commits, further_holds_are_released_after_the_commit) {
    auto held = second.acquire().value();
    mutex their_second{*strangers, "/second"};
    detach();
    auto done = start(hold, transaction{}.put("/a", "1").under(held));
    held.unlock();
    EXPECT_FALSE(held);
    faults.attach(servers->session().id);
    const auto outcome = done.get();
    ASSERT_TRUE(outcome) << outcome.error().message();
    EXPECT_TRUE(their_second.acquire({.timeout = limit()}).has_value());
}

TEST_F(planned_commits, further_holds_are_downgraded_after_the_commit) {
    shared_mutex prices{*strangers, "/prices"};
    auto writing = prices.acquire().value();
    detach();
    auto done = start(hold, transaction{}.put("/a", "1").under(writing));
    auto downgraded =
        std::async(std::launch::async, [&] { return prices.downgrade_to_shared(writing); });
    EXPECT_EQ(downgraded.wait_for(100ms), std::future_status::timeout);
    faults.attach(servers->session().id);
    const auto outcome = done.get();
    EXPECT_TRUE(outcome) << outcome.error().message();
    EXPECT_TRUE(downgraded.get());
    EXPECT_TRUE(prices.acquire_shared({.timeout = limit()}).has_value());
}

// The hold `limited` reaches its max_hold, and its client removes its znode. The commit's error must name this reason,
// and must not say that another client deleted the znode.
TEST_F(planned_commits, the_end_of_a_further_hold_is_the_reason_of_a_failure) {
    for (const bool waits : {true, false}) {
        auto limited = theirs.acquire({.timeout = limit(), .max_hold = 100ms}).value();
        const auto writes = transaction{}.put("/a", "1").under(limited);
        detach();
        auto done = waits ? std::async(std::launch::async, [&] { return hold.commit(writes); })
                          : start(hold, writes);
        const auto znode = limited.znode();
        ASSERT_TRUE(eventually([&] { return data(znode) == "(none)"; }));
        faults.attach(servers->session().id);
        EXPECT_EQ(done.get().error(), errc::held_too_long);
        EXPECT_EQ(data("/a"), "(none)");
    }
}

TEST_F(planned_commits, a_multi_lock_commits_under_all_its_parts) {
    mutex a{*servers, "/m/a"};
    shared_mutex b{*servers, "/m/b"};
    mutex retained{*servers, "/m/c", {.retain_for = 1h}};
    multi_lock all{a, b, retained};
    auto whole = all.acquire().value();
    const auto done = whole.commit(transaction{}.put("/a", "1").under(hold));
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(data("/a"), "1");

    std::vector<std::future<result<commit_result>>> commits;
    for (int i = 0; i != 5; ++i) commits.push_back(start(whole, transaction{}.put("/a", "2")));
    whole.unlock();
    for (auto& commit : commits) {
        const auto outcome = commit.get();
        EXPECT_TRUE(outcome) << outcome.error().message();
    }
    mutex their_a{*strangers, "/m/a"};
    EXPECT_TRUE(their_a.acquire({.timeout = limit()}).has_value());
    shared_mutex their_b{*strangers, "/m/b"};
    EXPECT_TRUE(their_b.acquire({.timeout = limit()}).has_value());
    mutex their_c{*strangers, "/m/c"};
    EXPECT_TRUE(their_c.acquire({.timeout = limit()}).has_value())
        << "passed on with a commit under it";
}

TEST_F(planned_commits, a_part_of_a_multi_lock_that_is_gone_refuses_it) {
    mutex a{*servers, "/m/a"};
    shared_mutex b{*servers, "/m/b"};
    multi_lock all{a, b};
    auto whole = all.acquire().value();
    faults.set_traffic(servers->session().id, local::traffic::flows);
    const auto znode = "/m/b/" + b.holders().value().front().name;
    EXPECT_EQ(whole.commit(transaction{}.remove(znode)).error(), errc::bad_option);
    client elsewhere{"local:" + fresh_tree()};
    mutex far{elsewhere, "/far"};
    multi_lock wide{lock, far};
    hold.unlock();
    auto both = wide.acquire().value();
    EXPECT_EQ(both.commit(transaction{}.put("/a", "1")).error(), errc::bad_option);
}

TEST_F(planned_commits, an_upgraded_hold_and_a_recursive_one_carry_them) {
    shared_mutex prices{*servers, "/prices"};
    auto writing = prices.acquire_upgrade().value();
    ASSERT_TRUE(prices.upgrade(writing));
    EXPECT_TRUE(writing.commit(transaction{}.put("/a", "1").under(hold)));
    EXPECT_TRUE(hold.commit(transaction{}.put("/a", "2").under(writing)));
    recursive_mutex again{*servers, "/again"};
    auto outer = again.acquire().value();
    auto inner = again.acquire().value();
    EXPECT_TRUE(inner.commit(transaction{}.put("/a", "3").under(outer)));
    EXPECT_EQ(data("/a"), "3");
}

}  // namespace
}  // namespace turnstile::tests
