// SPDX-License-Identifier: Apache-2.0
// Tests the answers to single requests, the order of errors, and the fields of Stat.
#include <optional>

#include "contract/fixture.hpp"

namespace turnstile::contract {
namespace {

using core::check_op;
using core::children_op;
using core::create_mode;
using core::create_op;
using core::exists_op;
using core::get_op;
using core::multi_op;
using core::remove_op;
using core::reply;
using core::server_error;
using core::set_op;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class contract_nodes : public fixture {};

TEST_F(contract_nodes, a_connection_names_its_session) {
    EXPECT_EQ(me.attached().connection, 1U);
    EXPECT_NE(me.id(), 0);
    EXPECT_EQ(me.attached().timeout, std::chrono::seconds{60});
    EXPECT_NE(probe{*servers_}.id(), me.id());
}

TEST_F(contract_nodes, create_answers_with_name_and_stat) {
    const reply r = me.ask(create_op{at("a"), "data"});
    EXPECT_EQ(r.error, server_error::ok);
    EXPECT_EQ(r.outcome, core::outcome::answered);
    EXPECT_EQ(r.path, at("a"));
    EXPECT_EQ(r.connection, 1U);
    EXPECT_GT(r.stat.czxid, 0);
    EXPECT_EQ(r.stat.mzxid, r.stat.czxid);
    EXPECT_EQ(r.stat.pzxid, r.stat.czxid);
    EXPECT_GT(r.stat.ctime, 0);
    EXPECT_EQ(r.stat.mtime, r.stat.ctime);
    EXPECT_EQ(r.stat.version, 0);
    EXPECT_EQ(r.stat.cversion, 0);
    EXPECT_EQ(r.stat.aversion, 0);
    EXPECT_EQ(r.stat.ephemeral_owner, 0);
    EXPECT_EQ(r.stat.data_length, 4);
    EXPECT_EQ(r.stat.num_children, 0);
    EXPECT_EQ(me.ask(get_op{at("a")}).stat, r.stat);
    EXPECT_EQ(me.ask(exists_op{at("a")}).stat, r.stat);
    EXPECT_EQ(me.ask(children_op{at("a")}).stat, r.stat);
}

TEST_F(contract_nodes, the_parents_stat_follows_its_children) {
    const core::stat fresh = stat(folder());
    const core::stat a = me.ask(create_op{at("a")}).stat;
    core::stat expected = fresh;
    expected.cversion = 1;
    expected.pzxid = a.czxid;
    expected.num_children = 1;
    EXPECT_EQ(stat(folder()), expected);
    make(at("b"));
    remove(at("a"));
    expected.cversion = 3;
    expected.pzxid = stat(folder()).pzxid;
    EXPECT_THAT(expected.pzxid, writes_after(a.czxid, 2));
    EXPECT_EQ(stat(folder()), expected);
    me.ask(set_op{at("b"), "x"});
    make(at("b/c"));
    EXPECT_EQ(stat(folder()), expected) << "data and grandchildren leave it alone";
}

TEST_F(contract_nodes, set_changes_data_and_version) {
    const core::stat fresh = me.ask(create_op{at("a"), "old"}).stat;
    const reply r = me.ask(set_op{at("a"), "newer", 0});
    EXPECT_EQ(r.error, server_error::ok);
    EXPECT_EQ(r.stat.version, 1);
    EXPECT_THAT(r.stat.mzxid, writes_after(fresh.czxid, 1));
    EXPECT_EQ(r.stat.pzxid, fresh.czxid);
    EXPECT_EQ(r.stat.data_length, 5);
    EXPECT_GE(r.stat.mtime, r.stat.ctime);
    EXPECT_EQ(me.ask(get_op{at("a")}).data, "newer");
    EXPECT_EQ(me.ask(set_op{at("a"), "", 0}).error, server_error::bad_version);
    EXPECT_EQ(me.ask(set_op{at("a"), ""}).stat.version, 2);
    EXPECT_EQ(me.ask(get_op{at("a")}).data, "");
}

TEST_F(contract_nodes, every_write_takes_a_zxid_a_refused_one_too) {
    make(at("a"));
    EXPECT_THAT(zxids_of([&] { make(at("b")); }), are(1));
    EXPECT_THAT(zxids_of([&] { make(at("a")); }), are(1)) << "node_exists";
    EXPECT_THAT(zxids_of([&] { make(at("none/x")); }), are(1)) << "no_node";
    EXPECT_THAT(zxids_of([&] { remove(at("none")); }), are(1));
    EXPECT_THAT(zxids_of([&] { remove(at("a"), 7); }), are(1)) << "bad_version";
    EXPECT_THAT(zxids_of([&] { me.ask(set_op{at("a"), "", 7}); }), are(1));
    EXPECT_THAT(zxids_of([&] { me.ask(multi_op{{check_op{at("a")}}}); }), are(1));
    EXPECT_THAT(zxids_of([&] {
                    me.ask(multi_op{{check_op{at("a"), 7}, remove_op{at("a")}}});
                }),
                are(1));
    EXPECT_THAT(zxids_of([&] { me.ask(multi_op{{set_op{at("a")}, set_op{at("a")}}}); }), are(1));
}

TEST_F(contract_nodes, reads_take_no_zxid) {
    EXPECT_THAT(zxids_of([&] {
                    me.ask(get_op{folder()});
                    me.ask(exists_op{at("none"), core::watch_mode::watch});
                    me.ask(children_op{folder()});
                    me.forget(at("none"));
                }),
                are(0));
}

TEST_F(contract_nodes, a_session_takes_a_zxid_at_both_ends) {
    EXPECT_THAT(zxids_of([&] { probe{*servers_}.close(); }), are(2));
}

TEST_F(contract_nodes, sequence_numbers_count_every_create) {
    const auto sequential = [&](const std::string& name) {
        return me.ask(create_op{at(name), "", create_mode::persistent_sequential}).path;
    };
    EXPECT_EQ(sequential("x-"), at("x-0000000000"));
    make(at("plain"));
    EXPECT_EQ(sequential("y"), at("y0000000002"));
    make(at("plain"));  // the server refuses this create, so it does not count
    remove(at("plain"));
    EXPECT_EQ(sequential("x-"), at("x-0000000003"));
    EXPECT_EQ(sequential(""), at("0000000004"));
    EXPECT_EQ(me.ask(create_op{at("e-"), "", create_mode::ephemeral_sequential}).path,
              at("e-0000000005"));
}

TEST_F(contract_nodes, sequence_numbers_start_again_with_the_parent) {
    make(at("q"));
    make(at("q/x-"), create_mode::persistent_sequential);
    remove(at("q/x-0000000000"));
    remove(at("q"));
    make(at("q"));
    EXPECT_EQ(me.ask(create_op{at("q/x-"), "", create_mode::persistent_sequential}).path,
              at("q/x-0000000000"));
}

TEST_F(contract_nodes, children_are_names_in_any_order) {
    EXPECT_THAT(me.ask(children_op{folder()}).children, IsEmpty());
    make(at("b"));
    make(at("a"));
    make(at("a/c"));
    const reply r = me.ask(children_op{folder()});
    EXPECT_THAT(r.children, UnorderedElementsAre("a", "b"));
    EXPECT_EQ(r.stat.num_children, 2);
}

TEST_F(contract_nodes, what_is_missing_is_no_node) {
    EXPECT_EQ(me.ask(get_op{at("x")}).error, server_error::no_node);
    EXPECT_EQ(me.ask(exists_op{at("x")}).error, server_error::no_node);
    EXPECT_EQ(me.ask(children_op{at("x")}).error, server_error::no_node);
    EXPECT_EQ(me.ask(set_op{at("x")}).error, server_error::no_node);
    EXPECT_EQ(remove(at("x")), server_error::no_node);
    EXPECT_EQ(remove(at("x/y")), server_error::no_node);
    EXPECT_EQ(make(at("x/y")), server_error::no_node);
    EXPECT_EQ(make(at("x/y-"), create_mode::ephemeral_sequential), server_error::no_node);
}

TEST_F(contract_nodes, a_refused_create_answers_with_no_name) {
    const reply r = me.ask(create_op{folder()});
    EXPECT_EQ(r.error, server_error::node_exists);
    EXPECT_EQ(r.path, "");
}

// Each request has two errors. The test checks which of them the server reports.
TEST_F(contract_nodes, faults_are_found_in_the_servers_order) {
    make(at("e"), create_mode::ephemeral);
    make(at("p"));
    make(at("p/child"));
    EXPECT_EQ(remove(at("p"), 9), server_error::bad_version) << "before not_empty";
    EXPECT_EQ(remove(at("p")), server_error::not_empty);
    EXPECT_EQ(make(at("e/x")), server_error::no_children_for_ephemerals);
    EXPECT_EQ(make(at("e/x/y")), server_error::no_node) << "the parent is looked for first";
    EXPECT_EQ(remove(at("e/x"), 9), server_error::no_node);
    EXPECT_EQ(
        me.ask(create_op{at("none/x"), "", create_mode::persistent, core::acl_policy::creator_only})
            .error,
        server_error::invalid_acl)
        << "before no_node";
}

TEST_F(contract_nodes, the_root_is_there_to_stay) {
    EXPECT_EQ(remove("/"), server_error::bad_arguments);
    EXPECT_EQ(remove("/zookeeper"), server_error::bad_arguments);
    EXPECT_EQ(make("/"), server_error::node_exists);
    EXPECT_TRUE(is_there("/"));
    EXPECT_EQ(me.ask(set_op{"/", ""}).error, server_error::ok);
    EXPECT_EQ(stat("/").czxid, 0);
    EXPECT_EQ(me.ask(set_op{"/zookeeper/config", ""}).error, server_error::no_auth);
}

TEST_F(contract_nodes, an_ephemeral_node_belongs_to_its_session) {
    const reply r = me.ask(create_op{at("e"), "", create_mode::ephemeral});
    EXPECT_EQ(r.stat.ephemeral_owner, me.id());
    probe other{*servers_};
    EXPECT_EQ(other.ask(remove_op{at("e")}).error, server_error::ok) << "anybody may remove it";
    EXPECT_FALSE(is_there(at("e")));
}

TEST_F(contract_nodes, ephemeral_nodes_go_at_one_zxid_with_their_session) {
    make(at("p"));
    probe other{*servers_};
    other.ask(create_op{at("a"), "", create_mode::ephemeral});
    other.ask(create_op{at("p/b"), "", create_mode::ephemeral});
    other.ask(create_op{at("kept")});
    const std::int64_t before = next_zxid();
    other.close();
    EXPECT_FALSE(is_there(at("a")));
    EXPECT_FALSE(is_there(at("p/b")));
    EXPECT_TRUE(is_there(at("kept")));
    // next_zxid() created a znode. The first write after this create removes the znode, the second ends the session.
    EXPECT_THAT(stat(folder()).pzxid, writes_after(before, 2));
    EXPECT_EQ(stat(at("p")).pzxid, stat(folder()).pzxid);
    EXPECT_EQ(stat(at("p")).cversion, 2);
}

TEST_F(contract_nodes, a_session_sees_its_own_writes_at_once) {
    const core::ticket create =
        me.submit(create_op{at("x-"), "", create_mode::ephemeral_sequential});
    const core::ticket list = me.submit(children_op{folder()});
    std::optional<reply> created;
    // If a create is two requests, the second request reads the node, and so must come before the removal.
    if (!a_create_is_one_request()) created = me.wait(create);
    const core::ticket gone = me.submit(remove_op{at("x-0000000000")});
    const core::ticket again = me.submit(children_op{folder()});
    EXPECT_EQ(created ? created->path : me.wait(create).path, at("x-0000000000"));
    EXPECT_THAT(me.wait(list).children, ElementsAre("x-0000000000"));
    EXPECT_EQ(me.wait(gone).error, server_error::ok);
    EXPECT_THAT(me.wait(again).children, IsEmpty());
}

TEST_F(contract_nodes, replies_come_in_order_with_their_send_times) {
    constexpr int k_many = 200;
    std::vector<core::ticket> tickets;
    me.settle();
    static_cast<void>(me.heard());
    const core::time_point before = boottime_clock::now();
    std::vector<std::string> expected;
    for (int i = 0; i < k_many; ++i) {
        tickets.push_back(i % 2 == 0 ? me.submit(create_op{at(std::to_string(i))})
                                     : me.submit(get_op{at(std::to_string(i))}));
        expected.push_back("reply " + std::to_string(static_cast<std::uint64_t>(tickets.back())));
    }
    core::time_point last = before;
    for (const core::ticket id : tickets) {
        const reply r = me.wait(id);
        EXPECT_GE(r.sent, last);
        last = r.sent;
    }
    EXPECT_LE(last, boottime_clock::now());
    EXPECT_EQ(me.heard(), expected);
}

// The contract excludes requests above 1 MiB: a server closes the connection, and the model does not.
TEST_F(contract_nodes, data_may_be_empty_binary_or_large) {
    const std::string binary{"\0\xff\n\0", 4};
    me.ask(create_op{at("binary"), binary});
    EXPECT_EQ(me.ask(get_op{at("binary")}).data, binary);
    me.ask(create_op{at("empty")});
    const reply empty = me.ask(get_op{at("empty")});
    EXPECT_EQ(empty.data, "");
    EXPECT_EQ(empty.stat.data_length, 0);
    const std::string large(1'000'000, 'x');
    EXPECT_EQ(me.ask(create_op{at("large"), large}).stat.data_length, 1'000'000);
    EXPECT_EQ(me.ask(get_op{at("large")}).data, large);
}

TEST_F(contract_nodes, names_may_be_unicode) {
    for (const char* name :
         {"Drehkreuz-für-Züge", "回転木戸", "a b", "\xc3\xa9\xcc\x81", "-.-", "..."}) {
        EXPECT_EQ(me.ask(create_op{at(name)}).path, at(name));
    }
    EXPECT_THAT(me.ask(children_op{folder()}).children, ::testing::Contains("回転木戸").Times(1));
}

TEST_F(contract_nodes, servers_refuse_some_characters) {
    for (const char* name : {"\xf0\x9f\x94\x92", "\xee\x80\x80", "\xef\xbf\xbd", "\x7f", "\xc2\x85",
                             "\x1f", "bad\xff"}) {
        EXPECT_THAT(
            zxids_of([&] { EXPECT_EQ(make(at(name)), server_error::bad_arguments) << name; }),
            are(1));
        EXPECT_EQ(me.ask(set_op{at(name)}).error, server_error::bad_arguments);
        EXPECT_EQ(me.ask(get_op{at(name)}).error, server_error::no_node) << "reads do not check";
    }
}

TEST_F(contract_nodes, clients_refuse_some_paths) {
    for (const std::string& path :
         {std::string{"relative"}, std::string{}, folder() + "/", folder() + "//a",
          folder() + "/./a", folder() + "/..", at("\x01")}) {
        EXPECT_THAT(zxids_of([&] { EXPECT_EQ(make(path), server_error::bad_arguments) << path; }),
                    are(0));
        EXPECT_EQ(me.ask(get_op{path}).error, server_error::bad_arguments) << path;
        EXPECT_EQ(me.ask(exists_op{path}).error, server_error::bad_arguments) << path;
        EXPECT_EQ(me.ask(children_op{path}).error, server_error::bad_arguments) << path;
        EXPECT_EQ(me.ask(set_op{path}).error, server_error::bad_arguments) << path;
        EXPECT_EQ(remove(path), server_error::bad_arguments) << path;
        // For a multi, the C client reports only that an error happened.
        EXPECT_THAT(zxids_of([&] {
                        EXPECT_NE(me.ask(multi_op{{check_op{path}}}).error, server_error::ok)
                            << path;
                    }),
                    are(0));
    }
}

TEST_F(contract_nodes, a_container_is_a_plain_node_to_its_users) {
    const reply r = me.ask(create_op{at("c"), "data", create_mode::container});
    EXPECT_EQ(r.error, server_error::ok);
    EXPECT_EQ(r.path, at("c"));
    EXPECT_EQ(r.stat.ephemeral_owner, 0);
    EXPECT_EQ(r.stat.data_length, 4);
    EXPECT_EQ(make(at("c/x-"), create_mode::ephemeral_sequential), server_error::ok);
    EXPECT_EQ(make(at("c"), create_mode::container), server_error::node_exists);
    EXPECT_EQ(remove(at("c")), server_error::not_empty);
    EXPECT_EQ(make(at("c/x-0000000000/y"), create_mode::container),
              server_error::no_children_for_ephemerals);
}

TEST(contract_containers, an_emptied_container_goes_with_its_data) {
    const std::unique_ptr<core::coordinator> servers = cleaning_servers();
    probe me{*servers};
    const std::string folder = "/an_emptied_container_goes";
    me.ask(create_op{folder});
    me.ask(create_op{folder + "/fresh", "", create_mode::container});
    me.ask(create_op{folder + "/used", "data", create_mode::container});
    me.ask(create_op{folder + "/used/x"});
    me.ask(children_op{folder, core::watch_mode::watch});
    me.ask(exists_op{folder + "/used", core::watch_mode::watch});
    me.ask(remove_op{folder + "/used/x"});
    clean_containers();
    EXPECT_EQ(me.next_event(), "deleted " + folder + "/used");
    EXPECT_EQ(me.next_event(), "children " + folder);
    EXPECT_EQ(me.ask(exists_op{folder + "/fresh"}).error, server_error::ok);
    EXPECT_EQ(me.ask(create_op{folder + "/used", "", create_mode::container}).stat.cversion, 0);
}

}  // namespace
}  // namespace turnstile::contract
