// SPDX-License-Identifier: Apache-2.0
// Tests that a server executes a multi as a whole or not at all, and that each part sees the effects of the earlier
// parts.
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
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class contract_multi : public fixture {};

TEST_F(contract_multi, carries_out_all_parts_at_one_zxid) {
    make(at("old"));
    const std::int64_t before = next_zxid();
    const reply r = me.ask(multi_op{{check_op{folder()}, create_op{at("a"), "x"},
                                     create_op{at("s-"), "", create_mode::ephemeral_sequential},
                                     set_op{at("a"), "y", 0}, remove_op{at("old")}}});
    EXPECT_EQ(r.error, server_error::ok);
    EXPECT_THAT(r.parts, ElementsAre(server_error::ok, server_error::ok, server_error::ok,
                                     server_error::ok, server_error::ok));
    const reply list = me.ask(children_op{folder()});
    ASSERT_EQ(list.children.size(), 2U);
    EXPECT_EQ(r.paths.at(1), at("a"));
    // Number 3: the folder has had three creates before: of "old", of "a", and by next_zxid().
    EXPECT_EQ(r.paths.at(2), at("s-0000000003"));
    EXPECT_EQ(stat(r.paths.at(2)).ephemeral_owner, me.id());
    const reply a = me.ask(get_op{at("a")});
    EXPECT_EQ(a.data, "y");
    EXPECT_EQ(a.stat.version, 1);
    EXPECT_THAT(a.stat.czxid, writes_after(before, 2));
    EXPECT_EQ(a.stat.mzxid, a.stat.czxid);
    EXPECT_EQ(list.stat.pzxid, a.stat.czxid);
}

// A create's result has no zxid, time or owner. So the multi also creates another znode, writes into it and removes it.
// No other client sees that znode. The result of the write has these three values.
TEST_F(contract_multi, its_last_set_tells_the_zxid_of_its_creates) {
    make(at("old"));
    const reply r =
        me.ask(multi_op{{create_op{at("s-"), "", create_mode::ephemeral_sequential},
                         set_op{at("old"), "x"}, create_op{at("probe"), "", create_mode::ephemeral},
                         set_op{at("probe")}, remove_op{at("probe")}}});
    ASSERT_EQ(r.error, server_error::ok);
    const auto created = stat(r.paths.at(0));
    EXPECT_EQ(r.stat.mzxid, created.czxid);
    EXPECT_EQ(r.stat.mtime, created.ctime);
    EXPECT_EQ(r.stat.ephemeral_owner, me.id());
    EXPECT_THAT(me.ask(children_op{folder()}).children,
                UnorderedElementsAre("old", r.paths.at(0).substr(folder().size() + 1)));
}

TEST_F(contract_multi, a_failure_undoes_all_parts) {
    const core::stat fresh = stat(folder());
    const reply r = me.ask(multi_op{
        {create_op{at("a")}, set_op{folder(), "x"}, remove_op{at("none")}, check_op{folder()}}});
    EXPECT_EQ(r.error, server_error::no_node);
    EXPECT_THAT(r.parts, ElementsAre(server_error::ok, server_error::ok, server_error::no_node,
                                     server_error::rolled_back));
    EXPECT_THAT(r.paths, Each(std::string{}));
    EXPECT_EQ(stat(folder()), fresh);
    EXPECT_FALSE(is_there(at("a")));
    EXPECT_EQ(me.ask(create_op{at("n"), "", create_mode::persistent_sequential}).path,
              at("n0000000000"))
        << "the counter is back, too";
}

TEST_F(contract_multi, reports_the_first_failure) {
    const auto failure = [&](core::multi_part part) {
        return me.ask(multi_op{{check_op{folder()}, std::move(part), remove_op{at("none")}}});
    };
    const auto rest = [](server_error e) {
        return ElementsAre(server_error::ok, e, server_error::rolled_back);
    };
    make(at("e"), create_mode::ephemeral);
    EXPECT_THAT(failure(create_op{at("e")}).parts, rest(server_error::node_exists));
    EXPECT_THAT(failure(create_op{at("e/x")}).parts,
                rest(server_error::no_children_for_ephemerals));
    EXPECT_THAT(failure(check_op{at("e"), 1}).parts, rest(server_error::bad_version));
    EXPECT_THAT(failure(check_op{at("none")}).parts, rest(server_error::no_node));
    EXPECT_THAT(failure(remove_op{folder()}).parts, rest(server_error::not_empty));
    EXPECT_THAT(failure(remove_op{"/"}).parts, rest(server_error::bad_arguments));
    EXPECT_EQ(failure(remove_op{folder()}).error, server_error::not_empty);
}

TEST_F(contract_multi, each_part_sees_the_parts_before_it) {
    EXPECT_EQ(me.ask(multi_op{{create_op{at("a")}, create_op{at("a/b")}, check_op{at("a/b"), 0},
                               set_op{at("a")}, set_op{at("a"), "", 1}, check_op{at("a"), 2},
                               remove_op{at("a/b")}, create_op{at("c")}, remove_op{at("c")},
                               create_op{at("c"), "again"}}})
                  .error,
              server_error::ok);
    EXPECT_EQ(me.ask(get_op{at("c")}).data, "again");
    EXPECT_EQ(stat(at("a")).version, 2);
    EXPECT_EQ(stat(at("a")).cversion, 2);
    EXPECT_EQ(stat(folder()).cversion, 4);
    EXPECT_EQ(me.ask(multi_op{{remove_op{at("a")}, check_op{at("a")}}}).error,
              server_error::no_node);
    EXPECT_EQ(me.ask(multi_op{{create_op{at("a/b")}, remove_op{at("a")}}}).error,
              server_error::not_empty);
    EXPECT_EQ(
        me.ask(multi_op{{create_op{at("e"), "", create_mode::ephemeral}, create_op{at("e/x")}}})
            .error,
        server_error::no_children_for_ephemerals);
}

TEST_F(contract_multi, numbers_within_one_multi_differ) {
    const create_op sequential{at("s-"), "", create_mode::persistent_sequential};
    EXPECT_THAT(me.ask(multi_op{{sequential, sequential, sequential}}).paths,
                ElementsAre(at("s-0000000000"), at("s-0000000001"), at("s-0000000002")));
}

TEST_F(contract_multi, an_empty_one_is_ok) {
    EXPECT_THAT(zxids_of([&] {
                    const reply r = me.ask(multi_op{});
                    EXPECT_EQ(r.error, server_error::ok);
                    EXPECT_THAT(r.parts, IsEmpty());
                }),
                are(1));
}

TEST_F(contract_multi, a_container_is_refused_before_it_is_sent) {
    EXPECT_THAT(zxids_of([&] {
                    EXPECT_EQ(
                        me.ask(multi_op{{create_op{at("c"), "", create_mode::container}}}).error,
                        server_error::bad_arguments);
                }),
                are(0));
}

TEST_F(contract_multi, many_parts) {
    multi_op all;
    for (int i = 0; i < 500; ++i) all.parts.emplace_back(create_op{at(std::to_string(i))});
    EXPECT_THAT(me.ask(all).parts, Each(server_error::ok));
    EXPECT_EQ(stat(folder()).num_children, 500);
    all.parts.emplace_back(create_op{at("0")});
    EXPECT_EQ(me.ask(all).parts.front(), server_error::node_exists);
}

}  // namespace
}  // namespace turnstile::contract
