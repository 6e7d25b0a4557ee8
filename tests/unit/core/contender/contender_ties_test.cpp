// SPDX-License-Identifier: Apache-2.0
// Tests failure F18: several contenders have the same number, so the czxids of their znodes decide the order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::IsEmpty;
using ::testing::Pointee;

constexpr std::int32_t k_end = std::numeric_limits<std::int32_t>::max();
const std::string k_tied = "_c_aaaaaaaa-0000-4000-8000-000000000000-lock-2147483647";
const std::string k_tied_too = "_c_bbbbbbbb-0000-4000-8000-000000000000-lock-2147483647";

class contender_ties : public test::contender_fixture {
protected:
    static constexpr std::int64_t k_earlier = k_czxid - 1;
    static constexpr std::int64_t k_later = k_czxid + 1;
};

TEST_F(contender_ties, asks_for_the_czxids_before_it_decides) {
    enter_queue(k_end, {k_tied, k_tied_too});
    EXPECT_THAT(session.told, IsEmpty());
    ASSERT_EQ(session.count<get_op>(), 2U);
    EXPECT_EQ(session.op<get_op>().watch, watch_mode::none);
    get_answers(1, k_later);
    EXPECT_THAT(session.told, IsEmpty());
    get_answers(1, k_later + 1);
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

TEST_F(contender_ties, waits_for_one_that_came_earlier) {
    enter_queue(k_end, {k_tied, k_tied_too});
    get_answers(1, k_earlier);
    get_answers(1, k_later);
    EXPECT_THAT(session.last_told<position_known>(), Pointee(position_known{1}));
    EXPECT_EQ(session.op<get_op>(), (get_op{"/q/" + k_tied, watch_mode::watch}));
}

TEST_F(contender_ties, lists_again_when_one_went_meanwhile) {
    enter_queue(k_end, {k_tied});
    send_error<get_op>(server_error::no_node);
    EXPECT_EQ(session.times_told<granted>(), 0U);
    list_answers({own});
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

// An operator deletes this contender's znode (failure F37), and then the contender ahead leaves. (Simulator, seed
// 10637.)
TEST_F(contender_ties, are_not_granted_by_a_znode_that_went_before_the_one_ahead) {
    enter_queue(k_end, {k_tied});
    send_error<get_op>(server_error::no_node);
    list_answers({});
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_EQ(session.count<create_op>(), 1U);
}

TEST_F(contender_ties, fails_where_it_may_not_ask) {
    enter_queue(k_end, {k_tied, k_tied_too});
    send_error<get_op>(server_error::no_auth);
    expect_failed(errc::no_permission);
    get_answers(1, k_earlier);
    EXPECT_EQ(session.count<get_op>(), 0U);
    EXPECT_EQ(session.times_told<position_known>(), 0U);
    send_ok<remove_op>();
    expect_gone();
}

TEST_F(contender_ties, are_settled_anew_on_the_next_connection) {
    enter_queue(k_end, {k_tied});
    detach();
    attach();
    EXPECT_EQ(session.count<children_op>(), 1U);
    list_answers({k_tied, own});
    get_answers(1, k_later);
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

// Three contenders have the same number. This contender has read the czxid of the first contender. The first contender
// leaves while a read of the second contender's znode is in progress. After the answer, this contender must list again
// at once. (Simulator, seed 2073.)
TEST_F(contender_ties, lists_again_when_the_one_ahead_goes_while_it_asks) {
    enter_queue(k_end, {k_tied});
    get_answers(1, k_earlier);
    get_answers();
    detach();
    attach();
    list_answers({k_tied, k_tied_too, own});
    watch_fires(watch_kind::deleted, "/q/" + k_tied);
    EXPECT_EQ(session.count<children_op>(), 0U);
    get_answers(1, k_later);
    EXPECT_EQ(session.count<children_op>(), 1U);
    list_answers({k_tied_too, own});
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

// The names of contenders with equal numbers do not show their order. Only a new list of the folder's children shows
// whether this contender is first.
TEST_F(contender_ties, are_never_handed_over_without_a_list) {
    enter_queue(k_end, {k_tied});
    get_answers(1, k_earlier);
    get_answers();
    watch_fires(watch_kind::deleted, "/q/" + k_tied);
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_EQ(session.count<children_op>(), 1U);
}

// Curator's downgraded readers cause equal numbers, too, far from the end of the counter.
TEST_F(contender_ties, of_small_numbers_are_never_handed_over_without_a_list) {
    enter_queue(5, {"_c_aaaaaaaa-0000-4000-8000-000000000000-lock-0000000005"});
    get_answers(1, k_earlier);
    get_answers();
    watch_fires(watch_kind::deleted, "/q/_c_aaaaaaaa-0000-4000-8000-000000000000-lock-0000000005");
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_EQ(session.count<children_op>(), 1U);
}

TEST_F(contender_ties, may_come_near_the_counters_end) {
    enter_queue(k_end - 3, {other_name(k_end - 4)});
    get_answers();
    watch_fires(watch_kind::deleted, "/q/" + other_name(k_end - 4));
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_EQ(session.count<children_op>(), 1U);
}

}  // namespace
}  // namespace turnstile::core
