// SPDX-License-Identifier: Apache-2.0
// Tests the requests by which a session keeps its lease, and the instant at which the lease ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using state = session_state;

class session_lease : public test::session_fixture {
protected:
    static constexpr duration k_interval = k_timeout / 5;
    static constexpr duration k_keep_alive = k_timeout * 3 / 10;

    static multi_op check_of(const std::string& znode) { return {{check_op{znode, 0}}}; }
};

// ---- keep-alive -----------------------------------------------------------------------------

TEST_F(session_lease, of_an_idle_session_is_kept_by_one_exists_before_each_ping) {
    start_attached();
    pass(k_keep_alive - 1ns);
    EXPECT_THAT(open, IsEmpty());
    pass(1ns);
    ASSERT_EQ(open.size(), 1U);
    EXPECT_EQ(open[0].request.op, (operation{exists_op{"/", watch_mode::none}}));
    EXPECT_LT(k_keep_alive, k_timeout / 3) << "the C client pings then";
    answer_all_ok();
    pass_answered(10 * k_keep_alive);
    EXPECT_EQ(log.size(), 11U) << "and by nothing else";
}

TEST_F(session_lease, is_kept_by_other_requests_too) {
    start_attached();
    pass(5s);
    on(read{k_question, exists_op{"/q"}, {}});
    answer_all_ok();
    pass(k_keep_alive - 1ns);
    EXPECT_EQ(count<exists_op>(), 0U);
    pass(1ns);
    EXPECT_EQ(count<exists_op>(), 1U);
}

TEST_F(session_lease, is_not_kept_while_nobody_is_there) {
    start_attached();
    detach();
    pass(10 * k_timeout);
    EXPECT_THAT(open, IsEmpty());
}

// ---- writes that extend the lease (confirmations) -------------------------------------------

TEST_F(session_lease, of_a_hold_is_confirmed_every_fifth_of_the_timeout) {
    start_attached();
    const auto znode = take_lock(k_ann);
    pass(k_interval - 1ns);
    EXPECT_THAT(open, IsEmpty());
    pass(1ns);
    EXPECT_EQ(op<multi_op>(), check_of(znode));
    answer_all_ok();
    EXPECT_EQ(session.session_lease().valid_until(), now + k_timeout);
    pass(k_interval - 1ns);
    EXPECT_EQ(count<multi_op>(), 0U);
    pass(1ns);
    EXPECT_EQ(count<multi_op>(), 1U);
}

TEST_F(session_lease, of_a_hold_lasts_as_long_as_it_is_confirmed) {
    start_attached();
    take_lock(k_ann);
    pass_answered(100 * k_timeout);
    EXPECT_EQ(told<lost>(k_ann), 0U);
    EXPECT_THAT(changes, IsEmpty());
}

// The first confirmation of a hold, a request that extends the lease, also sets a watch on the hold's znode. A hold
// that ends earlier causes no such request.
TEST_F(session_lease, is_confirmed_together_with_a_watch_on_the_znode) {
    start_attached();
    const auto znode = take_lock(k_ann);
    EXPECT_EQ(session.watched_paths(), 0U);
    pass(k_interval);
    EXPECT_EQ(op<get_op>(), (get_op{znode, watch_mode::watch}));
    answer_all_ok();
    pass(k_interval);
    EXPECT_EQ(count<get_op>(), 0U);
}

TEST_F(session_lease, of_several_holds_is_confirmed_by_each_in_turn) {
    start_attached();
    const auto anns = take_lock(k_ann);
    const auto bobs = take_lock(k_bob, 1);
    std::vector<std::string> checked;
    for (int i = 0; i != 4; ++i) {
        pass(k_interval);
        checked.push_back(std::get<check_op>(op<multi_op>().parts[0]).path);
        answer_all_ok();
    }
    EXPECT_THAT(checked, ElementsAre(anns, bobs, anns, bobs));
}

TEST_F(session_lease, is_confirmed_for_the_next_in_line_by_its_version_too) {
    start_attached();
    acquire(k_ann);
    const auto znode = answer_create_and_list(5, {stranger(3), stranger(4)});
    answer_all_ok();
    pass(k_interval);
    EXPECT_EQ(op<multi_op>(), (multi_op{{check_op{znode, k_any_version}}}));
    answer_all_ok();
    watch_fires(watch_kind::deleted, "/q/" + stranger(4));
    auto listed = reply_to<children_op>();
    const auto name = name_of("/q/_c_x");
    listed.children = {stranger(3)};
    for (const auto& entry : log) {
        if (const auto* sent = std::get_if<submit>(&entry)) {
            if (const auto* create = std::get_if<create_op>(&sent->request.op))
                listed.children.push_back(name_of(create->path) + "0000000005");
        }
    }
    on_event(std::move(listed));
    answer_all_ok();
    pass(k_interval);
    EXPECT_EQ(op<multi_op>(), check_of(znode));
}

TEST_F(session_lease, has_one_confirmation_under_way_at_a_time) {
    start_attached();
    take_lock(k_ann);
    pass(k_timeout - 1s);
    EXPECT_EQ(count<multi_op>(), 1U);
}

TEST_F(session_lease, that_is_nearly_over_is_confirmed_in_a_hurry) {
    start_attached(server_role::follower);
    take_lock(k_ann);
    // A lease that is renewed through a follower is shorter than the session timeout by the relay bound, the time until
    // the leader learns of the follower's answers. So this lease is short.
    pass_answered(k_interval);
    const auto first = session.session_lease().valid_until();
    EXPECT_EQ(first, at(k_timeout));
    pass_answered(3 * k_interval);
    EXPECT_GT(session.session_lease().valid_until(), first);
    EXPECT_EQ(told<lost>(k_ann), 0U);
    pass_answered(100 * k_timeout);
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

// The simulator found this case: a hold was granted just before the lease ended, and was lost without any fault.
TEST_F(session_lease, that_is_nearly_over_grants_nothing) {
    start_attached(server_role::follower);
    pass_answered(k_keep_alive);
    detach();
    pass(k_timeout - k_keep_alive - 1ms);
    attach(server_role::follower);
    acquire(k_ann);
    const auto znode = answer_create_and_list(2, {stranger(0), stranger(1)});
    answer_all_ok();
    ASSERT_EQ(session.session_lease().valid_until(), at(k_keep_alive + k_timeout));
    pass_answered(k_keep_alive - 1s);
    watch_fires(watch_kind::deleted, "/q/" + stranger(1));
    answer<get_op>();
    auto alone = reply_to<children_op>();
    alone.children = {name_of(znode)};
    on_event(std::move(alone));
    EXPECT_EQ(told<granted>(k_ann), 0U) << "it might end before its first confirmation is answered";
    EXPECT_TRUE(session.session_lease().valid(now));
}

TEST_F(session_lease, is_confirmed_at_once_after_a_re_attach) {
    start_attached();
    const auto znode = take_lock(k_ann);
    pass(2s);
    detach();
    attach();
    EXPECT_EQ(op<multi_op>(), check_of(znode));
    answer_all_ok();
    EXPECT_EQ(session.session_lease().valid_until(), now + k_timeout);
}

TEST_F(session_lease, tells_when_the_check_finds_no_znode) {
    start_attached();
    take_lock(k_ann);
    pass(k_interval);
    answer<multi_op>(server_error::no_node);
    EXPECT_EQ(why<lost>(k_ann), errc::removed);
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_TRUE(session.idle());
}

TEST_F(session_lease, of_a_hold_that_was_given_up_is_not_confirmed) {
    start_attached();
    take_lock(k_ann);
    pass(k_interval);
    leave(k_ann);
    answer<multi_op>(server_error::no_node);
    EXPECT_EQ(told<lost>(k_ann), 0U);
    answer_all_ok();
    pass(k_keep_alive - 1ns);
    EXPECT_THAT(open, IsEmpty());
}

class session_lease_with_option : public test::session_fixture {
protected:
    static session_core_settings often() {
        auto result = settings();
        result.confirm_every = 1s;
        return result;
    }
    session_lease_with_option() : session_fixture{often()} {}
};

TEST_F(session_lease_with_option, is_confirmed_as_often_as_it_says) {
    start_attached();
    take_lock(k_ann);
    pass(1s - 1ns);
    EXPECT_EQ(count<multi_op>(), 0U);
    pass(1ns);
    EXPECT_EQ(count<multi_op>(), 1U);
}

// ---- the end of a lease ---------------------------------------------------------------------

TEST_F(session_lease, ends_a_hold_at_its_last_instant_and_not_before) {
    start_attached();
    pass(1s);
    take_lock(k_ann);  // the lease starts at this create
    detach();
    pass_until(at(1s + k_timeout - 1ns));
    EXPECT_EQ(told<lost>(k_ann), 0U);
    EXPECT_EQ(session.state(), state::suspended);
    pass(1ns);
    EXPECT_EQ(why<lost>(k_ann), errc::session_lost);
    EXPECT_EQ(session.state(), state::lost);
}

TEST_F(session_lease, is_not_brought_back_by_an_answer_that_comes_too_late) {
    start_attached();
    take_lock(k_ann);
    pass(k_interval);
    now = at(k_timeout);  // the process is stopped, so no timer runs
    answer<multi_op>();
    EXPECT_EQ(told<lost>(k_ann), 1U);
}

// The servers may still keep the session. Then the session's znode would block the queue. So the client closes the
// session.
TEST_F(session_lease, that_ended_while_suspended_closes_the_session_after_the_re_attach) {
    start_attached();
    take_lock(k_ann);
    detach();
    pass(k_timeout);
    EXPECT_EQ(told<gone>(k_ann), 0U);
    EXPECT_GT(session.owned_bytes(), 0U);
    attach();
    EXPECT_THAT(closed, ElementsAre(close_session::how::orderly));
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_EQ(told<lost>(k_ann), 1U);
    EXPECT_EQ(session.owned_bytes(), 0U);
    EXPECT_THAT(states(), ElementsAre(state::suspended, state::lost, state::connecting));
}

TEST_F(session_lease, is_shortened_by_a_smaller_timeout) {
    start_attached();
    take_lock(k_ann);
    detach();
    attach(server_role::standalone, 10s);
    EXPECT_EQ(session.session_lease().valid_until(), at(10s));
    open.clear();
    pass_until(at(10s));
    EXPECT_EQ(told<lost>(k_ann), 1U);
}

// ---- failure F28: no grant without a lease --------------------------------------------------

TEST_F(session_lease, that_is_missing_is_confirmed_for_a_grant) {
    start_attached(server_role::follower);
    pass_answered(2 * k_timeout);  // an idle session sends only reads
    ASSERT_FALSE(session.session_lease().valid(now));
    acquire(k_ann);
    pass(1ms);
    auto listed = now;
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 1U) << "the create was the write that the answers needed";
    EXPECT_GT(session.session_lease().valid_until(), listed);
}

// ---- warnings before a lease ends -----------------------------------------------------------

TEST_F(session_lease, that_is_nearly_over_is_told_once_if_asked_for) {
    start_attached();
    acquire(k_ann, {}, 5s);
    answer_create_and_list(0);
    detach();
    pass_until(at(k_timeout - 5s - 1ns));
    EXPECT_EQ(told<expiring>(k_ann), 0U);
    pass(1ns);
    EXPECT_EQ(told<expiring>(k_ann), 1U);
    pass(4s);
    EXPECT_EQ(told<expiring>(k_ann), 1U);
    pass(1s);
    EXPECT_EQ(told<lost>(k_ann), 1U);
    EXPECT_EQ(told<expiring>(k_ann), 1U);
}

TEST_F(session_lease, that_is_nearly_over_again_is_told_again) {
    start_attached();
    acquire(k_ann, {}, 5s);
    answer_create_and_list(0);
    for (std::size_t times = 1; times <= 3; ++times) {
        pass(k_timeout - 5s);
        EXPECT_EQ(told<expiring>(k_ann), times);
        answer_all_ok();
        pass_answered(k_interval);
    }
}

TEST_F(session_lease, is_not_warned_of_unasked_or_while_waiting) {
    start_attached();
    take_lock(k_ann);
    acquire(k_bob, {}, 5s);
    answer_create_and_list(2, {stranger(1)});
    detach();
    pass(2 * k_timeout);
    EXPECT_EQ(told<expiring>(k_ann), 0U);
    EXPECT_EQ(told<expiring>(k_bob), 0U);
}

}  // namespace
}  // namespace turnstile::core
