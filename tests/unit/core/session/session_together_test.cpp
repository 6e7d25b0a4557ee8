// SPDX-License-Identifier: Apache-2.0
// Tests holds that are released together: one transaction removes their znodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class session_together : public test::session_fixture {
protected:
    std::string hold_in(const std::string& folder, contender_id id) {
        core::acquire request;
        request.id = id;
        request.settings.folder = folder;
        on(request);
        return answer_create_and_list(0);
    }
    void SetUp() override {
        start_attached();
        paths = {hold_in("/a", k_ann), hold_in("/b", k_bob), hold_in("/c", k_eve)};
        ASSERT_THAT(open, IsEmpty());
    }
    void all_leave() { on(leave_together{{k_eve, k_bob, k_ann}}); }
    [[nodiscard]] std::vector<std::string> together() const {
        std::vector<std::string> all;
        for (const auto& part : op<multi_op>().parts) all.push_back(std::get<remove_op>(part).path);
        return all;
    }
    void expect_all_gone() {
        for (const auto id : {k_ann, k_bob, k_eve}) EXPECT_EQ(told<gone>(id), 1U);
        EXPECT_TRUE(session.idle());
        EXPECT_EQ(session.owned_bytes(), 0U);
        EXPECT_EQ(session.watched_paths(), 0U);
    }

    std::vector<std::string> paths;
};

TEST_F(session_together, go_in_one_transaction) {
    all_leave();
    EXPECT_THAT(together(), ElementsAre(paths[2], paths[1], paths[0]));
    EXPECT_EQ(open.size(), 1U);
    EXPECT_EQ(told<gone>(k_ann), 0U);
    answer<multi_op>();
    EXPECT_THAT(open, IsEmpty());
    expect_all_gone();
}

TEST_F(session_together, do_not_wait_for_removals_that_are_under_way) {
    for (std::uint64_t i = 0; i != 4; ++i) {
        acquire(contender_id{100 + i});
        answer_create_and_list(static_cast<std::int32_t>(i) + 1, {stranger(0)});
        answer<get_op>();
    }
    for (std::uint64_t i = 0; i != 4; ++i) leave(contender_id{100 + i});
    EXPECT_EQ(count<remove_op>(), 2U);
    EXPECT_EQ(count<multi_op>(), 0U);
    all_leave();
    ASSERT_EQ(count<multi_op>(), 2U) << "the removals that wait follow in another request";
    EXPECT_EQ(together().size(), 3U);
    answer_all_ok();
    expect_all_gone();
}

TEST_F(session_together, that_are_refused_go_each_by_itself) {
    all_leave();
    auto reply = reply_to<multi_op>();
    reply.error = server_error::no_node;
    reply.parts = {server_error::ok, server_error::no_node, server_error::rolled_back};
    on_event(std::move(reply));
    EXPECT_EQ(count<remove_op>(), 3U);
    answer<remove_op>();
    EXPECT_EQ(told<gone>(k_eve), 1U);
    answer<remove_op>(server_error::no_node);
    answer<remove_op>();
    expect_all_gone();
}

TEST_F(session_together, whose_answer_is_lost_are_asked_for_again) {
    all_leave();
    detach();
    attach();
    EXPECT_EQ(count<remove_op>() + count<multi_op>(), 3U) << "each is a removal of a hold again";
    answer_all_ok();
    expect_all_gone();
}

TEST_F(session_together, without_a_connection_go_with_the_next_one) {
    detach();
    all_leave();
    EXPECT_THAT(open, IsEmpty());
    attach();
    EXPECT_EQ(count<remove_op>(), 3U);
    answer_all_ok();
    expect_all_gone();
}

TEST_F(session_together, what_has_a_commit_under_way_follows_it) {
    on(core::commit{commit_id{50}, k_bob, {set_op{"/x", "1"}}, {}});
    all_leave();
    ASSERT_EQ(count<multi_op>(), 2U) << "the commit, and the removal of the others";
    EXPECT_EQ(count<remove_op>(), 0U);
    answer<multi_op>();
    EXPECT_EQ(count<remove_op>(), 1U) << "of the one that has committed";
    answer_all_ok();
    expect_all_gone();
}

TEST_F(session_together, a_session_that_ends_takes_them_along) {
    all_leave();
    expire();
    for (const auto id : {k_ann, k_bob, k_eve}) EXPECT_EQ(told<gone>(id), 1U);
}

}  // namespace
}  // namespace turnstile::core
