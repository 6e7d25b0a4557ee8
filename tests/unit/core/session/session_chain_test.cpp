// SPDX-License-Identifier: Apache-2.0
// Tests the chain of answered requests that extend a session (docs/why/lease.md). While the chain is unbroken, the
// session keeps its znodes, however long its contenders wait. After a break, the servers may have selected the session
// for expiry although they still answer, so the client replaces the session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using state = session_state;
using how = close_session::how;

class session_chain : public test::session_fixture {
protected:
    static constexpr duration k_interval = k_timeout / 5;
    static constexpr duration k_pause = 50ms;

    // Queues a contender behind `ahead` contenders of other sessions. Returns its znode.
    std::string wait_behind(contender_id id, std::int32_t ahead, std::int32_t first = 0) {
        acquire(id);
        names others;
        for (std::int32_t i = 0; i != ahead; ++i) others.push_back(stranger(first + i));
        auto znode = answer_create_and_list(first + ahead, others);
        answer_all_ok();
        return znode;
    }
    void stop_until(time_point when) { now = when; }  // no timer runs meanwhile
    [[nodiscard]] std::size_t writes() const {
        return static_cast<std::size_t>(
            std::count_if(log.begin(), log.end(), [](const auto& entry) {
                const auto* sent = std::get_if<submit>(&entry);
                return sent != nullptr && is_write(sent->request.op);
            }));
    }
    // Lets the core close its session, and connects the next session to a server.
    void attach_anew(server_role role = server_role::standalone) {
        open.clear();
        connection = 0;
        ++session_id;
        pass(k_pause);
        attach(role);
    }
};

// ---- a grant by a session that is selected for expiry ---------------------------------------

// The process was stopped for the whole session timeout, so the leader has selected the session for expiry. Until the
// leader has closed the session, it still answers the session's requests.
TEST_F(session_chain, of_a_first_waiter_that_was_stopped_does_not_grant_by_what_is_still_answered) {
    start_attached();
    wait_behind(k_ann, 1);
    stop_until(at(k_timeout));
    watch_fires(watch_kind::deleted, "/q/" + stranger(0));
    EXPECT_THAT(closed, ElementsAre(how::orderly));
    answer_all_ok();
    EXPECT_EQ(told<granted>(k_ann), 0U);
    EXPECT_THAT(states(), ElementsAre(state::lost, state::connecting));
    attach_anew();
    EXPECT_EQ(count<create_op>(), 1U) << "it enters again";
    answer_create_and_list(2);
    EXPECT_EQ(told<granted>(k_ann), 1U);
}

TEST_F(session_chain, is_judged_by_when_the_answer_is_read) {
    start_attached();
    wait_behind(k_ann, 1);
    pass(k_interval);
    ASSERT_EQ(count<multi_op>(), 1U);
    stop_until(at(k_timeout));
    answer<multi_op>();
    EXPECT_THAT(closed, ElementsAre(how::orderly));
}

TEST_F(session_chain, that_is_broken_tells_a_holder_before_its_session_is_closed) {
    start_attached();
    take_lock(k_ann);
    log.clear();
    pass(k_timeout);  // the server does not answer
    std::vector<std::string> order;
    for (const auto& entry : log) {
        const auto* told_one = std::get_if<notice>(&entry);
        if (told_one != nullptr && std::holds_alternative<lost>(told_one->event))
            order.emplace_back("lost");
        if (std::holds_alternative<close_session>(entry)) order.emplace_back("closed");
    }
    EXPECT_THAT(order, ElementsAre("lost", "closed"));
    EXPECT_EQ(told<gone>(k_ann), 1U);
    EXPECT_TRUE(session.idle());
}

TEST_F(session_chain, that_is_broken_fails_a_waiter_that_wants_it_so) {
    start_attached();
    core::acquire request;
    request.id = k_ann;
    request.settings.folder = "/q";
    request.settings.waiters = session_loss_policy::fail;
    on(request);
    answer_create_and_list(1, {stranger(0)});
    pass(k_timeout);
    EXPECT_EQ(why<failed>(k_ann), errc::session_lost);
}

// ---- reconnects -----------------------------------------------------------------------------

TEST_F(session_chain, is_not_continued_by_an_attach_after_the_leases_end) {
    start_attached();
    wait_behind(k_ann, 1);
    detach();
    pass(k_timeout);
    EXPECT_EQ(session.state(), state::lost);
    attach();
    EXPECT_THAT(closed, ElementsAre(how::orderly)) << "its znode stands in the way";
    EXPECT_THAT(states(), ElementsAre(state::suspended, state::lost, state::connecting));
    EXPECT_THAT(open, IsEmpty());
}

TEST_F(session_chain, is_continued_by_an_attach_before_the_leases_end) {
    start_attached();
    wait_behind(k_ann, 1);
    detach();
    pass(k_timeout - 1ms);
    attach();
    EXPECT_THAT(closed, IsEmpty());
    EXPECT_EQ(count<multi_op>(), 1U) << "which it shows at once";
    answer_all_ok();
    pass_answered(10 * k_timeout);
    EXPECT_THAT(closed, IsEmpty());
}

// An answered read proves that the servers keep the session only if a later write commits. This session has sent only
// reads, so nothing proves that it still exists when its connection breaks.
TEST_F(session_chain, of_an_idle_session_ends_with_its_connection) {
    start_attached();
    pass_answered(2 * k_timeout);
    detach();
    EXPECT_EQ(session.state(), state::suspended);
    attach();
    EXPECT_THAT(closed, ElementsAre(how::orderly));
    attach_anew();
    EXPECT_EQ(session.state(), state::connected);
}

TEST_F(session_chain, of_a_session_that_was_long_in_opening_costs_another_one) {
    start();
    pass(k_timeout);
    attach();
    EXPECT_THAT(closed, ElementsAre(how::orderly));
    EXPECT_THAT(changes, IsEmpty()) << "there was nothing to lose";
    attach_anew();
    EXPECT_THAT(states(), ElementsAre(state::connected));
    take_lock(k_ann);
}

// ---- requests that continue the chain of answered requests ----------------------------------

class session_chain_at : public session_chain, public ::testing::WithParamInterface<server_role> {};

TEST_P(session_chain_at, of_an_idle_session_is_kept_by_reads_alone) {
    start_attached(GetParam());
    pass_answered(100 * k_timeout);
    EXPECT_EQ(writes(), 0U);
    EXPECT_THAT(closed, IsEmpty());
    take_lock(k_ann);
}

INSTANTIATE_TEST_SUITE_P(a_server, session_chain_at,
                         ::testing::Values(server_role::standalone, server_role::follower));

TEST_F(session_chain, of_those_who_wait_far_back_is_confirmed_by_one_write_for_all_of_them) {
    start_attached();
    wait_behind(k_ann, 5);
    wait_behind(k_bob, 7);
    const auto before = writes();
    pass_answered(10 * k_interval);
    EXPECT_EQ(writes(), before + 10);
    detach();
    pass(k_timeout - k_interval - 1ms);
    attach();
    EXPECT_THAT(closed, IsEmpty()) << "they keep their places";
}

// A committed write for any contender proves that the servers keep the session. So the session needs no confirmation (a
// write that only proves this).
TEST_F(session_chain, of_those_who_wait_far_back_needs_no_confirmation_while_others_come_and_go) {
    start_attached();
    wait_behind(k_ann, 5);
    for (std::int32_t i = 0; i != 20; ++i) {
        pass_answered(k_interval / 2);
        const auto before = count<multi_op>();
        acquire(k_bob);
        answer_create_and_list(10 + i, {stranger(1), stranger(2)});
        leave(k_bob);
        answer_all_ok();
        EXPECT_EQ(before, 0U);
    }
    for (const auto& entry : log) {
        const auto* sent = std::get_if<submit>(&entry);
        EXPECT_FALSE(sent != nullptr && std::holds_alternative<multi_op>(sent->request.op));
    }
}

TEST_F(session_chain, of_those_who_wait_far_back_finds_that_a_znode_is_gone) {
    start_attached();
    wait_behind(k_ann, 5);
    pass(k_interval);
    answer<multi_op>(server_error::no_node);
    EXPECT_EQ(count<create_op>(), 1U) << "a new place";
}

// The client sends only reads, through a follower. Reads do not extend the lease, so the hold ends. But the next write
// proves that the servers kept the session, so the client keeps it, too.
TEST_F(session_chain, that_ends_a_hold_only_leads_back_to_connected) {
    start();
    attach(server_role::follower, 15s);
    changes.clear();
    take_lock(k_ann);
    pass_answered(16s);
    ASSERT_LT(session.session_lease().valid_until(), session.session_lease().trusted_until());
    pass_until(session.session_lease().valid_until());
    ASSERT_EQ(told<lost>(k_ann), 1U) << "a slow server is enough, so little is left";
    EXPECT_THAT(closed, IsEmpty()) << "and all is well with the session";
    answer_all_ok();
    pass_answered(60s);
    EXPECT_THAT(closed, IsEmpty());
    take_lock(k_bob, 1);
    EXPECT_EQ(session.state(), state::connected);
}

// ---- session timeouts that are too short for a lease that is renewed through a follower -----

TEST_F(session_chain, that_cannot_be_kept_does_not_cost_one_session_after_the_other) {
    start();
    attach(server_role::follower, 10s);
    pass_answered(1h);
    EXPECT_THAT(closed, IsEmpty());
    acquire(k_ann);
    EXPECT_EQ(why<failed>(k_ann), errc::lease_too_short) << "it is never certain again";
}

TEST_F(session_chain, that_could_not_be_kept_is_replaced_once_the_leader_is_known) {
    start();
    attach(server_role::unknown, 10s);
    pass_answered(1min);
    on_event(link(link_kind::role_known, server_role::leader));
    pass(0s);
    EXPECT_THAT(closed, ElementsAre(how::orderly));
    attach_anew(server_role::leader);
    pass_answered(1min);
    EXPECT_EQ(closed.size(), 1U);
}

// ---- servers that always refuse the session --------------------------------------------------

// The servers have lost their data. The client has seen a zxid of the lost data, so the servers refuse each of its
// attempts to connect.
TEST_F(session_chain, that_no_server_takes_back_is_abandoned_after_two_timeouts) {
    start_attached();
    const auto answered = now;
    wait_behind(k_ann, 1);
    detach();
    pass_until(answered + 2 * k_timeout - 1ns);
    EXPECT_THAT(closed, IsEmpty())
        << "the servers may be back, and its znode would be removed at once";
    pass(1ns);
    EXPECT_THAT(closed, ElementsAre(how::abandon));
    attach_anew();
    EXPECT_EQ(session.state(), state::connected);
    answer_create_and_list(0);
    EXPECT_EQ(told<granted>(k_ann), 1U);
}

TEST_F(session_chain, is_not_abandoned_before_it_was_attached) {
    start();
    pass(24h);
    EXPECT_THAT(opened, ElementsAre(1U));
    EXPECT_THAT(closed, IsEmpty());
}

TEST_F(session_chain, is_abandoned_once_and_not_again_and_again) {
    start_attached();
    detach();
    pass(24h);
    EXPECT_THAT(opened, ElementsAre(1U, 2U));
    EXPECT_THAT(closed, ElementsAre(how::abandon));
}

TEST_F(session_chain, of_a_short_session_is_given_five_seconds) {
    start();
    attach(server_role::standalone, 1s);
    detach();
    pass(6s - 1ns);
    EXPECT_THAT(closed, IsEmpty());
    pass(1ns);
    EXPECT_THAT(closed, ElementsAre(how::abandon));
}

}  // namespace
}  // namespace turnstile::core
