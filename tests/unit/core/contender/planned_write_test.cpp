// SPDX-License-Identifier: Apache-2.0
// Tests commits that the client plans after it has read which znodes exist, and commits that depend on several holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guarded_write_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;

class planned_write : public guarded_write {
protected:
    void put() { add(k_one, {put_op{"/a/x", "7"}}); }
    [[nodiscard]] operation put_as_create() const {
        return multi_op{{set_op{k_znode, k_data, k_version}, create_op{"/a/x", "7"}}};
    }
    [[nodiscard]] operation put_as_set(std::int32_t version = k_version) const {
        return multi_op{{set_op{k_znode, k_data, version}, set_op{"/a/x", "7"}}};
    }
};

TEST_F(planned_write, reads_first_and_creates_what_is_missing) {
    put();
    EXPECT_EQ(first(), operation{exists_op{"/a/x"}});
    EXPECT_EQ(session.version, 0) << "the own znode is not touched yet";
    answer(server_error::no_node);
    EXPECT_EQ(first(), put_as_create());
    auto reply = answer_to_first();
    reply.paths = {"", "/a/x"};
    reply.versions = {k_version + 1, 0};
    give(reply);
    const auto& done = std::get<committed>(session.told.at(k_one));
    EXPECT_THAT(*done.paths, ElementsAre("/a/x"));
    EXPECT_THAT(done.versions, ElementsAre(0));
}

// Servers since 3.8.4 answer NOAUTH only for a znode that exists. So this refusal proves that the znode exists.
TEST_F(planned_write, what_may_not_be_read_is_there) {
    put();
    answer(server_error::no_auth);
    EXPECT_EQ(first(), put_as_set());
}

TEST_F(planned_write, another_clients_create_or_remove_is_read_again) {
    put();
    answer(server_error::no_node);
    answer(server_error::node_exists, {server_error::rolled_back, server_error::node_exists});
    EXPECT_EQ(first(), operation{exists_op{"/a/x"}});
    answer(server_error::ok);
    EXPECT_EQ(first(), put_as_set());
    answer(server_error::no_node, {server_error::rolled_back, server_error::no_node});
    EXPECT_EQ(first(), operation{exists_op{"/a/x"}});
    answer(server_error::ok);
    EXPECT_EQ(first(), put_as_set());
    answer(server_error::ok);
    EXPECT_TRUE(session.succeeded(k_one));
    EXPECT_EQ(session.version, k_version + 1);
}

TEST_F(planned_write, a_made_znode_that_another_client_removes_is_made_again) {
    add(k_one, {make_op{"/a"}, create_op{"/a/x", "7"}});
    answer(server_error::ok);
    EXPECT_EQ(first(), (operation{multi_op{{set_op{k_znode, k_data, k_version}, check_op{"/a"},
                                            create_op{"/a/x", "7"}}}}));
    answer(server_error::no_node,
           {server_error::rolled_back, server_error::no_node, server_error::rolled_back});
    EXPECT_EQ(first(), operation{exists_op{"/a"}});
    answer(server_error::no_node);
    EXPECT_EQ(first(), (operation{multi_op{{set_op{k_znode, k_data, k_version}, create_op{"/a", ""},
                                            create_op{"/a/x", "7"}}}}));
    EXPECT_TRUE(session.told.empty());
}

// The servers went back to older data, in which the created znode does not exist.
TEST_F(planned_write, a_made_znode_that_is_forgotten_with_the_connection_is_made_again) {
    add(k_one, {make_op{"/a"}});
    answer(server_error::ok);
    lose_and_reattach();
    answer_resolution(server_error::ok, k_version + 2);
    EXPECT_EQ(first(),
              (operation{multi_op{{set_op{k_znode, k_data, k_version + 2}, check_op{"/a"}}}}));
    answer(server_error::no_node, {server_error::rolled_back, server_error::no_node});
    EXPECT_EQ(first(), operation{exists_op{"/a"}});
    answer(server_error::no_node);
    EXPECT_EQ(first(),
              (operation{multi_op{{set_op{k_znode, k_data, k_version + 2}, create_op{"/a", ""}}}}));
    answer(server_error::ok);
    EXPECT_TRUE(session.succeeded(k_one));
}

TEST_F(planned_write, a_made_znode_that_may_not_be_read_is_left_unchecked) {
    add(k_one, {make_op{"/theirs"}, part});
    answer(server_error::ok);
    answer(server_error::no_auth,
           {server_error::rolled_back, server_error::no_auth, server_error::rolled_back});
    EXPECT_EQ(first(), operation{exists_op{"/theirs"}});
    answer(server_error::ok);
    EXPECT_EQ(first(), expected(k_version));
}

TEST_F(planned_write, a_missing_parent_is_the_callers) {
    put();
    answer(server_error::no_node);
    answer(server_error::no_node, {server_error::rolled_back, server_error::no_node});
    EXPECT_EQ(session.why(k_one), errc::no_node);
    EXPECT_EQ(std::get<error>(session.told.at(k_one)).part(), 0U);
}

TEST_F(planned_write, given_up_while_it_reads_was_not_written) {
    put();
    add(k_two);
    cancel(k_one, errc::timeout);
    EXPECT_EQ(session.why(k_one), errc::timeout);
    answer(server_error::no_node);
    EXPECT_EQ(first(), expected(k_version)) << "the next one";
}

TEST_F(planned_write, a_hold_that_is_over_ends_it_at_once) {
    put();
    end_hold(errc::session_lost);
    EXPECT_EQ(session.why(k_one), errc::session_lost);
    EXPECT_TRUE(writes.empty());
    answer(server_error::no_node);  // refused, so without effect
    EXPECT_TRUE(session.open.empty());
}

TEST_F(planned_write, the_end_of_the_session_while_it_reads_is_no_doubt) {
    put();
    end_epoch(errc::session_lost);
    EXPECT_EQ(session.why(k_one), errc::session_lost);
    EXPECT_TRUE(writes.empty());
}

TEST_F(planned_write, a_lost_answer_to_a_question_is_asked_again) {
    add(k_one, {make_op{"/a/b"}});
    ASSERT_EQ(session.open.size(), 2U);
    session.is_attached = false;
    lose();
    lose();
    reattach();
    ASSERT_EQ(session.open.size(), 2U);
    answer(server_error::ok);
    answer(server_error::no_node);
    EXPECT_EQ(first(),
              (operation{multi_op{{set_op{k_znode, k_data, k_version}, create_op{"/a/b", ""}}}}));
}

TEST_F(planned_write, a_lost_commit_is_found_out_about_and_sent_again_as_it_was_planned) {
    put();
    answer(server_error::ok);
    lose_and_reattach();
    EXPECT_EQ(first(), fence(k_version));
    answer_resolution(server_error::ok, k_version + 2);
    EXPECT_EQ(first(), put_as_set(k_version + 2));
    answer(server_error::ok);
    EXPECT_TRUE(session.succeeded(k_one));
}

TEST_F(guarded_write, further_holds_are_checked_ahead_of_the_parts) {
    add(k_one, {part}, {"/q/b", "/q/c"});
    EXPECT_EQ(first(), (operation{multi_op{{set_op{k_znode, k_data, k_version}, check_op{"/q/b"},
                                            check_op{"/q/c"}, part}}}));
    auto reply = answer_to_first();
    reply.paths = {"", "", "", ""};
    reply.versions = {k_version + 1, -1, -1, 4};
    give(reply);
    EXPECT_THAT(std::get<committed>(session.told.at(k_one)).versions, ElementsAre(4));
}

TEST_F(guarded_write, a_further_hold_that_is_gone_is_named) {
    add(k_one, {part}, {"/q/b", "/q/c"});
    answer(server_error::no_node, {server_error::rolled_back, server_error::rolled_back,
                                   server_error::no_node, server_error::rolled_back});
    EXPECT_EQ(session.why(k_one), errc::removed);
    const auto& why = std::get<error>(session.told.at(k_one));
    EXPECT_NE(why.message().find("/q/c"), std::string::npos) << why.message();
    EXPECT_FALSE(why.part());
    EXPECT_EQ(session.version, k_version) << "nothing was written";
}

}  // namespace
}  // namespace turnstile::core
