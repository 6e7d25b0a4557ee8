// SPDX-License-Identifier: Apache-2.0
// Tests the in-memory model of ZooKeeper for values that the contract suite cannot request from a real server: huge
// sizes, ends of counters, faults.
#include "local/tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace turnstile::core;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using turnstile::local::applied;
using turnstile::local::client_watch_list;
using turnstile::local::fired_watch;
using turnstile::local::sequence_end;
using turnstile::local::server_traits;
using turnstile::local::session_id;
using turnstile::local::tree;

constexpr std::int64_t k_now = 1'000;

reply ask(tree& t, session_id s, const operation& op) {
    return t.apply(s, op, k_now).reply;
}

server_error make(tree& t, session_id s, const std::string& path,
                  create_mode mode = create_mode::persistent) {
    return ask(t, s, create_op{path, "", mode}).error;
}

TEST(local_tree, is_a_value) {
    tree a;
    const session_id s = a.open_session();
    make(a, s, "/q");
    tree b = a;
    EXPECT_EQ(a, b);
    ask(b, s, exists_op{"/q", watch_mode::watch});
    EXPECT_NE(a, b) << "a watch is part of the state";
    ask(a, s, exists_op{"/q", watch_mode::watch});
    EXPECT_EQ(a, b);
    make(b, s, "/q/x");
    EXPECT_NE(a, b);
    EXPECT_EQ(ask(a, s, exists_op{"/q/x"}).error, server_error::no_node);
}

TEST(local_tree, same_requests_make_equal_trees) {
    const auto run = [] {
        tree t;
        const session_id s = t.open_session();
        make(t, s, "/q");
        make(t, s, "/q/x-", create_mode::ephemeral_sequential);
        ask(t, s, multi_op{{check_op{"/q"}, set_op{"/q", "data"}}});
        return t;
    };
    EXPECT_EQ(run(), run());
}

TEST(local_tree, starts_as_a_fresh_server_does) {
    tree t;
    const reply root = ask(t, t.open_session(), children_op{"/"});
    EXPECT_THAT(root.children, ElementsAre("zookeeper"));
    EXPECT_EQ(root.stat.cversion, -1) << "one child that no create was counted for";
    EXPECT_EQ(root.stat.czxid, 0);
}

TEST(local_tree, a_session_takes_a_zxid_at_both_ends) {
    tree t;
    const session_id s = t.open_session();
    EXPECT_EQ(t.zxid(), 1);
    EXPECT_THAT(t.close_session(s), IsEmpty());
    EXPECT_EQ(t.zxid(), 2);
    t.close_session(s);
    EXPECT_EQ(t.zxid(), 2) << "there was nothing to close";
}

TEST(local_tree, a_dead_session_is_told) {
    tree t;
    const session_id s = t.open_session();
    t.close_session(s);
    EXPECT_EQ(make(t, s, "/q"), server_error::session_expired);
    EXPECT_EQ(ask(t, s, get_op{"/"}).error, server_error::session_expired);
}

TEST(local_tree, sequence_numbers_stick_at_their_end) {
    tree t;
    const session_id s = t.open_session();
    make(t, s, "/q");
    t.set_creates("/q", 2'147'483'646);
    const auto mode = create_mode::persistent_sequential;
    EXPECT_EQ(ask(t, s, create_op{"/q/a", "", mode}).path, "/q/a2147483646");
    EXPECT_EQ(ask(t, s, create_op{"/q/b", "", mode}).path, "/q/b2147483647");
    EXPECT_EQ(ask(t, s, create_op{"/q/c", "", mode}).path, "/q/c2147483647");
    EXPECT_EQ(make(t, s, "/q/c2147483647"), server_error::node_exists);
    EXPECT_EQ(ask(t, s, create_op{"/q/c", "", mode}).error, server_error::node_exists);
}

TEST(local_tree, at_the_end_a_create_leaves_pzxid_alone) {
    tree t;
    const session_id s = t.open_session();
    make(t, s, "/q");
    t.set_creates("/q", 2'147'483'647);
    const std::int64_t before = ask(t, s, exists_op{"/q"}).stat.pzxid;
    make(t, s, "/q/a");
    EXPECT_EQ(ask(t, s, exists_op{"/q"}).stat.pzxid, before);
}

TEST(local_tree, sequence_numbers_can_wrap_instead) {
    tree t{server_traits{.at_sequence_end = sequence_end::wraps}};
    const session_id s = t.open_session();
    make(t, s, "/q");
    t.set_creates("/q", 2'147'483'647);
    const auto mode = create_mode::persistent_sequential;
    EXPECT_EQ(ask(t, s, create_op{"/q/a", "", mode}).path, "/q/a2147483647");
    EXPECT_EQ(ask(t, s, create_op{"/q/b", "", mode}).path, "/q/b-2147483648");
    EXPECT_EQ(ask(t, s, create_op{"/q/c", "", mode}).path, "/q/c-2147483647");
    t.set_creates("/q", -999'999'999);
    EXPECT_EQ(ask(t, s, create_op{"/q/d", "", mode}).path, "/q/d-999999999");
}

TEST(local_tree, old_servers_lack_requests) {
    tree t{server_traits{.has_containers = false}};
    const session_id s = t.open_session();
    EXPECT_EQ(make(t, s, "/c", create_mode::container), server_error::unimplemented);
    EXPECT_EQ(t.zxid(), 1) << "an unknown request takes no zxid";
    EXPECT_EQ(make(t, s, "/p"), server_error::ok);
    t.set_traits({.has_create2 = false});
    EXPECT_EQ(make(t, s, "/p2"), server_error::unimplemented);
    EXPECT_EQ(ask(t, s, multi_op{{create_op{"/p2"}}}).error, server_error::ok);
}

TEST(local_tree, later_servers_refuse_exists_of_what_may_not_be_read) {
    for (const bool refuses : {false, true}) {
        tree t{server_traits{.exists_needs_read = refuses}};
        const session_id owner = t.open_session({"owner:secret"});
        const session_id other = t.open_session({"other:secret"});
        create_op secret{"/secret"};
        secret.acl = turnstile::core::acl_policy::creator_only;
        ask(t, owner, secret);
        const exists_op question{"/secret", watch_mode::watch};
        EXPECT_EQ(ask(t, owner, question).error, server_error::ok);
        EXPECT_EQ(ask(t, other, question).error,
                  refuses ? server_error::no_auth : server_error::ok);
        EXPECT_EQ(t.watch_count(), refuses ? 1U : 2U) << "a refused exists sets no watch";
        EXPECT_EQ(ask(t, other, exists_op{"/absent"}).error, server_error::no_node);
    }
}

TEST(local_tree, reaps_containers_that_were_used) {
    tree t;
    const session_id s = t.open_session();
    make(t, s, "/fresh", create_mode::container);
    make(t, s, "/used", create_mode::container);
    make(t, s, "/used/inner", create_mode::container);
    make(t, s, "/used/inner/x");
    ask(t, s, remove_op{"/used/inner/x"});
    ask(t, s, children_op{"/used", watch_mode::watch});
    EXPECT_THAT(t.reap(), ElementsAre(fired_watch{s, watch_kind::children, "/used"}));
    EXPECT_EQ(ask(t, s, exists_op{"/used"}).error, server_error::ok)
        << "its turn is the next round";
    t.reap();
    EXPECT_EQ(ask(t, s, exists_op{"/used"}).error, server_error::no_node);
    EXPECT_EQ(ask(t, s, exists_op{"/fresh"}).error, server_error::ok);
}

TEST(local_tree, a_new_leader_starts_higher) {
    tree t;
    const session_id s = t.open_session();
    t.advance_zxid(std::int64_t{7} << 32);
    EXPECT_EQ(ask(t, s, create_op{"/q"}).stat.czxid, (std::int64_t{7} << 32) + 1);
}

TEST(local_tree, a_broken_connection_takes_its_watches_along) {
    tree t;
    const session_id s = t.open_session();
    make(t, s, "/q");
    ask(t, s, get_op{"/q", watch_mode::watch});
    ask(t, s, children_op{"/q", watch_mode::watch});
    EXPECT_EQ(t.watch_count(), 2U);
    t.drop_watches(s);
    EXPECT_EQ(t.watch_count(), 0U);
    EXPECT_THAT(t.apply(s, set_op{"/q"}, k_now).events, IsEmpty());
}

// The next three tests use the tree without a client, because a client drops the events that it does not wait for.
TEST(local_tree, a_removal_fires_once_for_a_session) {
    tree t;
    const session_id s = t.open_session();
    make(t, s, "/q");
    ask(t, s, get_op{"/q", watch_mode::watch});
    ask(t, s, children_op{"/q", watch_mode::watch});
    EXPECT_THAT(t.apply(s, remove_op{"/q"}, k_now).events,
                ElementsAre(fired_watch{s, watch_kind::deleted, "/q"}));
    EXPECT_EQ(t.watch_count(), 0U);
}

TEST(local_tree, a_read_that_fails_leaves_no_watch_except_exists) {
    tree t;
    const session_id s = t.open_session();
    ask(t, s, get_op{"/q", watch_mode::watch});
    ask(t, s, children_op{"/q", watch_mode::watch});
    EXPECT_EQ(t.watch_count(), 0U);
    ask(t, s, exists_op{"/q", watch_mode::watch});
    EXPECT_EQ(t.watch_count(), 1U);
}

TEST(local_tree, forgetting_takes_all_watches_on_the_path) {
    tree t;
    const session_id s = t.open_session();
    make(t, s, "/q");
    ask(t, s, get_op{"/q", watch_mode::watch});
    ask(t, s, children_op{"/q", watch_mode::watch});
    t.forget_watches(s, "/q");
    t.forget_watches(s, "/q");
    EXPECT_EQ(t.watch_count(), 0U);
    EXPECT_THAT(t.apply(s, create_op{"/q/x"}, k_now).events, IsEmpty());
}

TEST(local_tree, a_client_that_comes_back_is_told_what_it_missed) {
    tree t;
    const session_id s = t.open_session();
    for (const char* path : {"/changed", "/removed", "/same", "/list", "/same-list"})
        make(t, s, path);
    const std::int64_t seen = t.zxid();
    t.drop_watches(s);
    ask(t, s, set_op{"/changed"});
    ask(t, s, remove_op{"/removed"});
    make(t, s, "/created");
    make(t, s, "/list/x");
    const client_watch_list watches{
        {"/changed", "/removed", "/same"}, {"/created", "/missing"}, {"/list", "/same-list"}};
    EXPECT_THAT(t.restore_watches(s, watches, seen),
                ElementsAre(fired_watch{s, watch_kind::changed, "/changed"},
                            fired_watch{s, watch_kind::deleted, "/removed"},
                            fired_watch{s, watch_kind::created, "/created"},
                            fired_watch{s, watch_kind::children, "/list"}));
    EXPECT_EQ(t.watch_count(), 3U) << "the others are armed again";
    EXPECT_EQ(t.apply(s, create_op{"/missing"}, k_now).events.size(), 1U);
    EXPECT_EQ(t.apply(s, remove_op{"/same"}, k_now).events.size(), 1U);
}

// Removes half of the children one by one, and the other half with their session. If each removal searched a list of
// all children, the test would be slow.
TEST(local_tree, a_folder_of_100000_is_no_trouble) {
    constexpr int k_many = 100'000;
    tree t;
    const session_id s = t.open_session();
    make(t, s, "/q");
    std::vector<std::string> names;
    for (int i = 0; i < k_many; ++i) {
        names.push_back(ask(t, s, create_op{"/q/x-", "", create_mode::ephemeral_sequential}).path);
    }
    EXPECT_EQ(ask(t, s, children_op{"/q"}).children.size(), std::size_t{k_many});
    for (std::size_t i = 0; i < names.size() / 2; ++i) ask(t, s, remove_op{names[i]});
    EXPECT_EQ(ask(t, s, exists_op{"/q"}).stat.num_children, k_many / 2);
    const std::int64_t before = t.zxid();
    t.close_session(s);
    EXPECT_EQ(t.zxid(), before + 1) << "all ephemerals go at one zxid";
    EXPECT_THAT(t.nodes().find("/q")->children, IsEmpty());
}

TEST(local_tree, many_watches_are_no_trouble) {
    constexpr int k_many = 20'000;
    tree t;
    const session_id owner = t.open_session();
    make(t, owner, "/q");
    std::vector<session_id> watchers;
    for (int i = 0; i < k_many; ++i) {
        watchers.push_back(t.open_session());
        ask(t, watchers.back(), children_op{"/q", watch_mode::watch});
    }
    for (int i = 0; i < k_many / 2; ++i) t.close_session(watchers[static_cast<std::size_t>(i)]);
    EXPECT_EQ(t.apply(owner, create_op{"/q/x"}, k_now).events.size(), std::size_t{k_many / 2});
    EXPECT_EQ(t.watch_count(), 0U);
}

TEST(local_tree, a_failed_multi_leaves_nothing_but_a_zxid) {
    tree t;
    const session_id s = t.open_session();
    make(t, s, "/q");
    ask(t, s, exists_op{"/q/a", watch_mode::watch});
    tree before = t;
    const applied a = t.apply(
        s, multi_op{{create_op{"/q/a"}, set_op{"/q", "x"}, remove_op{"/none"}, check_op{"/q"}}},
        k_now);
    EXPECT_EQ(a.reply.error, server_error::no_node);
    EXPECT_THAT(a.reply.parts, ElementsAre(server_error::ok, server_error::ok,
                                           server_error::no_node, server_error::rolled_back));
    EXPECT_THAT(a.reply.paths, ElementsAre("", "", "", ""));
    EXPECT_THAT(a.events, IsEmpty());
    before.advance_zxid(before.zxid() + 1);
    EXPECT_EQ(t, before);
}

}  // namespace
