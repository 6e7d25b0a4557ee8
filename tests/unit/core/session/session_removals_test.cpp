// SPDX-License-Identifier: Apache-2.0
// Tests how the session removes the znodes of contenders that give up, one by one and in batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class session_removals : public test::session_fixture {
protected:
    static constexpr std::int32_t k_crowd = 5;
    static contender_id member(std::int32_t i) {
        return contender_id{100 + static_cast<std::uint64_t>(i)};
    }
    // Lets `count` contenders wait behind a contender of another session.
    void let_wait(std::int32_t count = k_crowd) {
        for (std::int32_t i = 0; i != count; ++i) {
            acquire(member(i));
            paths.push_back(answer_create_and_list(i + 1, {stranger(0)}));
            answer<get_op>();
        }
        ASSERT_THAT(open, IsEmpty());
    }
    void all_leave() {
        for (std::size_t i = 0; i != paths.size(); ++i) leave(member(static_cast<std::int32_t>(i)));
    }
    // Makes all waiting contenders leave. Two removals are then in progress, and the other removals wait for one batch.
    void send_together() {
        start_attached();
        let_wait();
        all_leave();
        answer<remove_op>();
        ASSERT_EQ(count<multi_op>(), 1U);
        answer<remove_op>();
    }
    void refuse_together(server_error why) {
        auto reply = reply_to<multi_op>();
        reply.error = why;
        reply.parts = {server_error::ok, why, server_error::rolled_back};
        on_event(std::move(reply));
    }
    [[nodiscard]] std::vector<std::string> together() const {
        std::vector<std::string> all;
        for (const auto& part : op<multi_op>().parts) all.push_back(std::get<remove_op>(part).path);
        return all;
    }
    void expect_all_gone() {
        for (std::size_t i = 0; i != paths.size(); ++i)
            EXPECT_EQ(told<gone>(member(static_cast<std::int32_t>(i))), 1U) << i;
        EXPECT_TRUE(session.idle());
        EXPECT_EQ(session.owned_bytes(), 0U);
        EXPECT_EQ(session.watched_paths(), 0U);
        EXPECT_EQ(count<remove_op>() + count<multi_op>(), 0U);
    }

    std::vector<std::string> paths;
};

TEST_F(session_removals, that_come_alone_go_at_once_by_themselves) {
    start_attached();
    let_wait(2);
    all_leave();
    EXPECT_EQ(count<remove_op>(), 2U);
    EXPECT_EQ(count<multi_op>(), 0U);
    answer_all_ok();
    expect_all_gone();
}

TEST_F(session_removals, that_come_while_others_are_under_way_go_together) {
    start_attached();
    let_wait();
    all_leave();
    EXPECT_EQ(count<remove_op>(), 2U);
    EXPECT_EQ(count<multi_op>(), 0U);
    EXPECT_EQ(told<failed>(member(4)), 1U) << "its caller need not wait";
    answer<remove_op>();
    EXPECT_EQ(told<gone>(member(0)), 1U);
    EXPECT_THAT(together(), ElementsAre(paths[2], paths[3], paths[4]));
    answer_all_ok();
    expect_all_gone();
}

TEST_F(session_removals, are_so_many_in_one_request) {
    start_attached();
    let_wait(200);
    all_leave();
    answer_all_ok();
    expect_all_gone();
    const auto requests = std::count_if(log.begin(), log.end(), [](const action& action) {
        const auto* sent = std::get_if<submit>(&action);
        return sent != nullptr && (std::holds_alternative<multi_op>(sent->request.op) ||
                                   std::holds_alternative<remove_op>(sent->request.op));
    });
    EXPECT_EQ(requests, 2 + 4);
}

// ---- watches of the removed contenders ------------------------------------------------------

TEST_F(session_removals, give_a_watch_back_that_nobody_wants_any_more) {
    start_attached();
    let_wait();
    all_leave();
    EXPECT_THAT(forgotten, IsEmpty()) << "the last three wait still";
    answer<remove_op>();
    EXPECT_THAT(forgotten, ElementsAre("/q/" + stranger(0)));
    EXPECT_TRUE(std::holds_alternative<multi_op>(open.back().request.op)) << "ahead of it";
    answer_all_ok();
    expect_all_gone();
}

// Each contender watches the contender before it. The removal of that contender fires the watch, so the client need not
// remove the watch.
TEST_F(session_removals, give_no_watch_back_that_they_use_up) {
    start_attached();
    std::string ahead = stranger(0);
    for (std::int32_t i = 0; i != k_crowd; ++i) {
        acquire(member(i));
        paths.push_back(answer_create_and_list(i + 1, {ahead}));
        answer<get_op>();
        ahead = name_of(paths.back());
    }
    for (std::int32_t i = k_crowd; i-- != 0;) leave(member(i));
    answer_all_ok();
    // The last two contenders left first, while the znodes that they watched still existed. So the client had to remove
    // the watches of these two contenders, and the watch on the stranger's znode.
    EXPECT_THAT(forgotten,
                ::testing::UnorderedElementsAre("/q/" + stranger(0), paths[3], paths[2]));
    expect_all_gone();
}

// ---- refused batches ------------------------------------------------------------------------

TEST_F(session_removals, are_sent_by_themselves_if_one_of_them_is_gone) {
    send_together();
    refuse_together(server_error::no_node);
    EXPECT_EQ(told<gone>(member(2)), 0U) << "nothing of it was done";
    EXPECT_EQ(count<remove_op>(), 3U);
    EXPECT_EQ(count<multi_op>(), 0U);
    answer<remove_op>();
    answer<remove_op>(server_error::no_node);
    answer<remove_op>();
    expect_all_gone();
}

// The servers refused two batches. All znodes of these batches are gone, so the client does not send the removals
// again. It must still send the removal that waits behind the batches.
TEST_F(session_removals, that_wait_go_when_all_of_the_refused_requests_are_gone) {
    start_attached();
    let_wait(7);
    pass_answered(k_timeout / 5 + 1ms);  // by now each member watches its own znode
    for (std::int32_t i = 0; i != 4; ++i) leave(member(i));
    answer<remove_op>();
    leave(member(4));
    leave(member(5));
    answer<remove_op>();
    ASSERT_EQ(count<multi_op>(), 2U) << "2 and 3, 4 and 5";
    leave(member(6));
    for (std::size_t i = 2; i != 6; ++i) watch_fires(watch_kind::deleted, paths[i]);
    refuse_together(server_error::no_node);
    refuse_together(server_error::no_node);
    ASSERT_EQ(count<remove_op>(), 1U);
    EXPECT_EQ(op<remove_op>().path, paths[6]);
    answer<remove_op>();
    expect_all_gone();
}

// The answer belongs to the earlier connection, so it must not count as a refusal. No back end answers so late.
TEST_F(session_removals, that_are_refused_after_the_connection_broke_are_sent_again) {
    send_together();
    on_event(link(link_kind::detached));
    refuse_together(server_error::no_node);
    EXPECT_EQ(told<gone>(member(2)), 0U) << "nothing of it was done";
    attach();
    EXPECT_EQ(count<remove_op>(), 2U);
    for (int i = 0; i != 3; ++i) answer<remove_op>();
    expect_all_gone();
}

TEST_F(session_removals, of_which_one_is_refused_for_good_end_the_session_and_no_sooner) {
    send_together();
    refuse_together(server_error::no_auth);
    EXPECT_THAT(closed, IsEmpty());
    answer<remove_op>();
    answer<remove_op>();
    EXPECT_THAT(closed, IsEmpty());
    answer<remove_op>(server_error::no_auth);
    EXPECT_THAT(closed, SizeIs(1));
    expect_all_gone();
}

TEST_F(session_removals, of_which_one_is_refused_for_now_are_tried_a_bounded_number_of_times) {
    send_together();
    refuse_together(server_error::other);
    constexpr int k_enough = 100;
    int rounds = 0;
    for (; closed.empty() && rounds != k_enough; ++rounds) {
        while (count<remove_op>() != 0) answer<remove_op>(server_error::other);
        while (count<multi_op>() != 0) refuse_together(server_error::other);
        pass(k_timeout / 5);
    }
    EXPECT_LT(rounds, k_enough);
    expect_all_gone();
}

TEST_F(session_removals, that_the_servers_had_moved_are_sent_again) {
    send_together();
    refuse_together(server_error::session_moved);
    EXPECT_EQ(count<remove_op>() + count<multi_op>(), 0U) << "not on this connection";
    detach();
    attach();
    while (!session.idle()) {
        ASSERT_NE(count<remove_op>() + count<multi_op>(), 0U);
        answer_all_ok();
    }
    expect_all_gone();
}

// ---- lost answers ---------------------------------------------------------------------------

TEST_F(session_removals, whose_answer_was_lost_are_sent_again) {
    send_together();
    detach();
    EXPECT_EQ(told<gone>(member(2)), 0U) << "nobody knows";
    attach();
    EXPECT_EQ(count<remove_op>(), 2U);
    answer<remove_op>(server_error::no_node);  // the server had executed the unanswered removal
    answer<remove_op>(server_error::no_node);
    answer<remove_op>(server_error::no_node);
    expect_all_gone();
}

TEST_F(session_removals, whose_answer_was_lost_on_a_living_connection_are_sent_again) {
    send_together();
    lose_requests();
    EXPECT_EQ(count<remove_op>() + count<multi_op>(), 0U);
    pass_answered(k_timeout / 5);
    answer_all_ok();
    expect_all_gone();
}

TEST_F(session_removals, that_waited_when_the_connection_broke_go_on_the_next_one) {
    start_attached();
    let_wait();
    all_leave();
    on_event(link(link_kind::detached));
    const auto earlier = std::exchange(open, {});
    attach();
    EXPECT_THAT(together(), ElementsAre(paths[2], paths[3], paths[4]));
    for (const auto& entry : earlier) {  // these answers arrive late
        reply lost;
        lost.id = entry.request.id;
        lost.outcome = outcome::unknown;
        lost.connection = entry.connection;
        on_event(std::move(lost));
    }
    answer_all_ok();
    expect_all_gone();
}

TEST_F(session_removals, of_an_ended_session_are_nothing_to_the_next) {
    start_attached();
    let_wait();
    all_leave();
    expire();
    expect_all_gone();
    pass(10s);
    attach();
    EXPECT_EQ(count<remove_op>() + count<multi_op>(), 0U);
}

// ---- removals beside other requests ---------------------------------------------------------

TEST_F(session_removals, make_no_release_wait) {
    start_attached();
    const auto held = take_lock(k_ann);
    let_wait();
    all_leave();
    leave(k_ann);
    ASSERT_EQ(count<remove_op>(), 3U);
    const auto* last = std::get_if<remove_op>(&open.back().request.op);
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->path, held);
    answer_all_ok();
    expect_all_gone();
}

// Other contenders wait for this znode alone, so its removal must not wait for a batch.
TEST_F(session_removals, of_the_first_in_line_do_not_wait) {
    start_attached();
    let_wait();
    acquire(k_ann);
    const auto first = answer_create_and_list(10, {stranger(7)});
    answer<get_op>();
    pass(k_timeout - 1s);  // the answers stop, so the lease is too short for a grant
    watch_fires(watch_kind::deleted, "/q/" + stranger(7));
    ASSERT_EQ(told<granted>(k_ann), 0U);
    all_leave();
    leave(k_ann);
    const auto* last = std::get_if<remove_op>(&open.back().request.op);
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->path, first);
}

// The new contender must not wait for contenders of the same process that gave up before.
TEST_F(session_removals, that_wait_go_ahead_of_who_comes) {
    start_attached();
    let_wait();
    all_leave();
    EXPECT_EQ(count<multi_op>(), 0U);
    acquire(k_ann);
    ASSERT_EQ(count<multi_op>(), 1U);
    const auto place = [this](auto is) {
        return std::find_if(open.begin(), open.end(),
                            [is](auto& entry) { return is(entry.request.op); });
    };
    EXPECT_LT(place([](auto& op) { return std::holds_alternative<multi_op>(op); }),
              place([](auto& op) { return std::holds_alternative<create_op>(op); }));
}

// After a reconnect the session sends the removals first. So no new contender waits for contenders of the same process
// that gave up before.
TEST_F(session_removals, that_are_sent_again_go_ahead_of_who_came_meanwhile) {
    start_attached();
    let_wait();
    all_leave();
    detach();
    acquire(member(k_crowd));
    attach();
    const auto enters = std::find_if(open.begin(), open.end(), [](auto& entry) {
        return std::holds_alternative<create_op>(entry.request.op);
    });
    ASSERT_NE(enters, open.end());
    std::size_t removed = 0;
    for (auto sent = open.begin(); sent != enters; ++sent) {
        if (std::holds_alternative<remove_op>(sent->request.op)) ++removed;
        if (const auto* all = std::get_if<multi_op>(&sent->request.op))
            removed += all->parts.size();
    }
    EXPECT_EQ(removed, paths.size());
}

TEST_F(session_removals, that_wait_go_ahead_of_what_is_asked) {
    start_attached();
    let_wait();
    all_leave();
    on(read{k_question, children_op{"/q"}, {}});
    EXPECT_EQ(count<multi_op>(), 1U);
    EXPECT_TRUE(std::holds_alternative<children_op>(open.back().request.op));
}

// The servers refuse a whole batch if one of its znodes is gone.
TEST_F(session_removals, leave_out_who_is_gone_meanwhile) {
    start_attached();
    let_wait();
    pass_answered(k_timeout / 5 + 1ms);  // by now each member watches its own znode
    all_leave();
    ASSERT_EQ(count<remove_op>(), 2U);
    watch_fires(watch_kind::deleted, paths[3]);
    EXPECT_EQ(told<gone>(member(3)), 1U);
    answer<remove_op>();
    EXPECT_THAT(together(), ElementsAre(paths[2], paths[4]));
    answer_all_ok();
    expect_all_gone();
}

TEST_F(session_removals, of_a_client_that_closes_go_together) {
    start_attached();
    let_wait();
    on(close{});
    EXPECT_EQ(count<remove_op>(), 2U);
    answer<remove_op>();
    EXPECT_THAT(together(), SizeIs(3));
    answer_all_ok();
    expect_all_gone();
}

}  // namespace
}  // namespace turnstile::core
