// SPDX-License-Identifier: Apache-2.0
#include "core/contender/renaming.hpp"

#include <gtest/gtest.h>

#include "unit/support/contender_stage.hpp"

namespace turnstile::core {
namespace {

class renaming_test : public ::testing::Test {
protected:
    template <class Op>
    consequence answers(server_error error, std::vector<std::string> children = {}) {
        auto answer = session.reply_to<Op>();
        answer.error = error;
        answer.children = std::move(children);
        answer.stat.version = 9;
        return wanted.on_answer(session.event(), own(), answer);
    }
    void lose_answer() {
        wanted.send(session.event(), own());
        auto answer = session.reply_to<multi_op>();
        answer.outcome = outcome::unknown;
        EXPECT_EQ(wanted.on_answer(session.event(), own(), answer), consequence{suspends{}});
        ASSERT_TRUE(wanted.is_unsure());
    }
    // Loses the answer to the rename, and sends a write that finds no znode of the old name. So only a list of the
    // folder's children can show the outcome.
    void fence() {
        lose_answer();
        wanted.find_out(session.event(), own());
        EXPECT_EQ(answers<set_op>(server_error::no_node), consequence{goes_on{}});
        wanted.find_out(session.event(), own());
        ASSERT_EQ(session.count<children_op>(), 1U);
    }
    renamed_znode own() { return {folder, "old", "data", version}; }

    const std::string folder = "/q";
    std::int32_t version = 2;
    test::contender_stage session;
    renaming wanted{"new"};
};

TEST_F(renaming_test, is_one_transaction) {
    wanted.send(session.event(), own());
    const auto sent = session.op<multi_op>();
    EXPECT_EQ(std::get<remove_op>(sent.parts.front()), (remove_op{"/q/old", 2}));
    EXPECT_EQ(std::get<create_op>(sent.parts.back()).path, "/q/new");
    EXPECT_EQ(answers<multi_op>(server_error::ok), consequence{done{}});
}

TEST_F(renaming_test, somebodys_write_is_seen_first) {
    wanted.send(session.event(), own());
    EXPECT_EQ(answers<multi_op>(server_error::bad_version), consequence{own_znode_changed{}});
    EXPECT_TRUE(wanted.is_wanted());
    EXPECT_FALSE(wanted.is_under_way());
}

TEST_F(renaming_test, a_lost_one_is_undone_by_a_write_that_changes_the_version) {
    lose_answer();
    wanted.find_out(session.event(), own());
    EXPECT_EQ(session.op<set_op>(), (set_op{"/q/old", "data", 2}));
    EXPECT_EQ(answers<set_op>(server_error::ok), consequence{goes_on{}});
    EXPECT_FALSE(wanted.is_unsure());
    EXPECT_EQ(version, 9);
}

TEST_F(renaming_test, a_list_behind_the_write_tells_which_name_stands) {
    fence();
    EXPECT_EQ(answers<children_op>(server_error::ok, {"new"}), consequence{done{}});
}

TEST_F(renaming_test, a_list_without_either_name_tells_that_the_znode_is_gone) {
    fence();
    EXPECT_EQ(answers<children_op>(server_error::ok, {"other"}), consequence{own_znode_gone{}});
}

// Another client's znode has the new name. It would block each further attempt, so the caller gets an error.
TEST_F(renaming_test, a_name_that_is_taken_is_told) {
    wanted.send(session.event(), own());
    const auto outcome = answers<multi_op>(server_error::node_exists);
    const auto* told = std::get_if<refused>(&outcome);
    ASSERT_NE(told, nullptr);
    EXPECT_EQ(told->why.code(), errc::node_exists);
}

// If the session continued, the holder would learn of no loss, and a znode of the new name could remain.
TEST_F(renaming_test, a_list_that_is_forbidden_ends_the_session) {
    fence();
    EXPECT_EQ(answers<children_op>(server_error::no_auth), consequence{suspends{}});
    EXPECT_TRUE(session.replacement);
    EXPECT_TRUE(wanted.is_unsure());
}

// After a lost answer, the client writes into the znode, so that the rename cannot commit later. Here the servers
// refuse this write, because of permissions or size. So the version does not change, and the rename may still commit.
class renaming_without_a_fence : public renaming_test,
                                 public ::testing::WithParamInterface<server_error> {};
INSTANTIATE_TEST_SUITE_P(refusal, renaming_without_a_fence,
                         ::testing::Values(server_error::no_auth, server_error::quota_exceeded));

TEST_P(renaming_without_a_fence, the_old_name_ends_the_session) {
    lose_answer();
    wanted.find_out(session.event(), own());
    EXPECT_EQ(answers<set_op>(GetParam()), consequence{goes_on{}});
    wanted.find_out(session.event(), own());
    EXPECT_EQ(answers<children_op>(server_error::ok, {"old"}), consequence{suspends{}});
    EXPECT_TRUE(session.replacement);
    EXPECT_TRUE(wanted.is_unsure());
}

TEST_F(renaming_test, the_new_name_tells_where_the_write_is_forbidden) {
    lose_answer();
    wanted.find_out(session.event(), own());
    answers<set_op>(server_error::no_auth);
    wanted.find_out(session.event(), own());
    EXPECT_EQ(answers<children_op>(server_error::ok, {"new"}), consequence{done{}});
    EXPECT_FALSE(session.replacement);
}

TEST_F(renaming_test, a_write_of_an_earlier_connection_proves_nothing) {
    lose_answer();
    wanted.find_out(session.event(), own());
    answers<set_op>(server_error::no_node);
    ++session.connection_number;
    wanted.find_out(session.event(), own());
    EXPECT_EQ(session.count<set_op>(), 1U);
    EXPECT_EQ(session.count<children_op>(), 0U);
}

}  // namespace
}  // namespace turnstile::core
