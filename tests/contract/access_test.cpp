// SPDX-License-Identifier: Apache-2.0
// Tests which requests other clients may make on a node that only its creator may use. Also tests paths below a chroot.
#include "contract/fixture.hpp"

namespace turnstile::contract {
namespace {

using core::acl_policy;
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

class contract_access : public fixture {
protected:
    static create_op mine(const std::string& path) {
        return {path, "secret", create_mode::persistent, acl_policy::creator_only};
    }

    probe owner_{*servers_, "owner:secret"};
};

TEST_F(contract_access, the_creator_may_do_everything) {
    EXPECT_EQ(owner_.ask(mine(at("a"))).error, server_error::ok);
    EXPECT_EQ(owner_.ask(get_op{at("a")}).data, "secret");
    EXPECT_EQ(owner_.ask(set_op{at("a"), "more"}).error, server_error::ok);
    EXPECT_EQ(owner_.ask(create_op{at("a/b")}).error, server_error::ok);
    EXPECT_THAT(owner_.ask(children_op{at("a")}).children, ElementsAre("b"));
    EXPECT_EQ(owner_.ask(multi_op{{check_op{at("a")}}}).error, server_error::ok);
    EXPECT_EQ(owner_.ask(remove_op{at("a/b")}).error, server_error::ok);
    probe same{*servers_, "owner:secret"};
    EXPECT_EQ(same.ask(get_op{at("a")}).data, "more") << "by identity, not by session";
}

TEST_F(contract_access, others_may_not) {
    owner_.ask(mine(at("a")));
    owner_.ask(create_op{at("a/b")});
    probe other{*servers_, "other:secret"};
    for (probe* p : {&me, &other}) {
        EXPECT_EQ(p->ask(get_op{at("a"), core::watch_mode::watch}).error, server_error::no_auth);
        EXPECT_EQ(p->ask(children_op{at("a"), core::watch_mode::watch}).error,
                  server_error::no_auth);
        EXPECT_EQ(p->ask(set_op{at("a")}).error, server_error::no_auth);
        EXPECT_EQ(p->ask(create_op{at("a/c")}).error, server_error::no_auth);
        EXPECT_EQ(p->ask(remove_op{at("a/b")}).error, server_error::no_auth);
        EXPECT_EQ(p->ask(multi_op{{check_op{at("a")}}}).error, server_error::no_auth);
        // Servers from 3.7.3, 3.8.4 and 3.9.2 on refuse this request; older servers answer it.
        EXPECT_THAT(p->ask(exists_op{at("a")}).error,
                    ::testing::AnyOf(server_error::ok, server_error::no_auth));
    }
    owner_.ask(set_op{at("a")});
    EXPECT_THAT(me.events(), ::testing::IsEmpty()) << "a refused read sets no watch";
}

TEST_F(contract_access, removing_needs_the_parents_right_alone) {
    owner_.ask(mine(at("a")));
    EXPECT_EQ(remove(at("a")), server_error::ok);
}

// A client can set a watch by exists without permission to read. Servers since 3.8.4 then send it no event.
TEST_F(contract_access, events_are_for_those_who_may_read) {
    probe same{*servers_, "owner:secret"};
    for (probe* p : {&me, &same}) watch<exists_op>(*p, at("a"));
    owner_.ask(mine(at("a")));
    EXPECT_THAT(same.events(), ElementsAre("created " + at("a")));
    EXPECT_THAT(me.events(), ::testing::IsEmpty());
    for (probe* p : {&me, &same}) watch<exists_op>(*p, at("a"));
    owner_.ask(set_op{at("a")});
    EXPECT_THAT(same.events(), ElementsAre("changed " + at("a")));
    EXPECT_THAT(me.events(), ::testing::IsEmpty());
    for (probe* p : {&me, &same}) watch<exists_op>(*p, at("a"));
    for (probe* p : {&me, &same}) watch<children_op>(*p, folder());
    remove(at("a"));
    EXPECT_THAT(same.events(), ElementsAre("deleted " + at("a"), "children " + folder()));
    EXPECT_THAT(me.events(), ElementsAre("children " + folder()));
    owner_.ask(create_op{at("a")});
    EXPECT_THAT(me.events(), ::testing::IsEmpty()) << "the watch that was silent is used up";
}

TEST_F(contract_access, no_auth_comes_before_other_faults) {
    owner_.ask(mine(at("a")));
    owner_.ask(create_op{at("a/b")});
    EXPECT_EQ(me.ask(set_op{at("a"), "", 7}).error, server_error::no_auth);
    EXPECT_EQ(make(at("a/b")), server_error::no_auth) << "before node_exists";
    EXPECT_EQ(remove(at("a/none")), server_error::no_auth) << "before no_node";
    EXPECT_EQ(remove(at("a/b"), 7), server_error::no_auth) << "before bad_version";
}

TEST_F(contract_access, nobody_s_node_is_refused) {
    EXPECT_EQ(me.ask(mine(at("a"))).error, server_error::invalid_acl);
    EXPECT_EQ(me.ask(multi_op{{check_op{folder()}, mine(at("a"))}}).parts.at(1),
              server_error::invalid_acl);
}

class contract_chroot : public fixture {
protected:
    std::unique_ptr<core::coordinator> below_ = shared_servers(folder());
    probe in_{*below_};
};

TEST_F(contract_chroot, paths_are_relative_both_ways) {
    EXPECT_EQ(in_.ask(create_op{"/a"}).path, "/a");
    EXPECT_TRUE(is_there(at("a")));
    EXPECT_EQ(in_.ask(create_op{"/a/s-", "", create_mode::ephemeral_sequential}).path,
              "/a/s-0000000000");
    EXPECT_TRUE(is_there(at("a/s-0000000000")));
    EXPECT_THAT(in_.ask(children_op{"/"}).children, ElementsAre("a"));
    const reply r = in_.ask(multi_op{{check_op{"/a"}, create_op{"/a/x"}, set_op{"/", "data"}}});
    EXPECT_EQ(r.error, server_error::ok);
    EXPECT_EQ(r.paths.at(1), "/a/x");
    EXPECT_EQ(me.ask(get_op{folder()}).data, "data");
}

TEST_F(contract_chroot, events_are_relative) {
    watch<children_op>(in_, "/");
    watch<exists_op>(in_, "/a");
    watch<get_op>(in_, "/");
    make(at("a"));
    me.ask(set_op{folder()});
    EXPECT_THAT(in_.events(), ElementsAre("created /a", "children /", "changed /"));
    watch<get_op>(in_, "/a");
    in_.forget("/a");
    me.ask(set_op{at("a")});
    EXPECT_THAT(in_.events(), ::testing::IsEmpty());
}

TEST_F(contract_chroot, a_missing_one_is_no_node) {
    const std::unique_ptr<core::coordinator> nowhere = shared_servers(at("nowhere"));
    probe lost{*nowhere};
    EXPECT_EQ(lost.ask(create_op{"/a"}).error, server_error::no_node);
    EXPECT_EQ(lost.ask(children_op{"/"}).error, server_error::no_node);
    EXPECT_EQ(lost.ask(exists_op{"/"}).error, server_error::no_node);
    make(at("nowhere"));
    EXPECT_EQ(lost.ask(create_op{"/a"}).error, server_error::ok);
}

TEST_F(contract_chroot, its_top_can_be_made_and_removed) {
    const std::unique_ptr<core::coordinator> inner = shared_servers(at("inner"));
    probe p{*inner};
    EXPECT_EQ(p.ask(create_op{"/"}).path, "/");
    EXPECT_TRUE(is_there(at("inner")));
    EXPECT_EQ(p.ask(remove_op{"/"}).error, server_error::ok);
    EXPECT_FALSE(is_there(at("inner")));
}

}  // namespace
}  // namespace turnstile::contract
