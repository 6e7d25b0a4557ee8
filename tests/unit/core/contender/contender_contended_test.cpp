// SPDX-License-Identifier: Apache-2.0
// Tests a holder that wants a notice when another contender queues behind it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::IsEmpty;

contender_settings telling() {
    contender_settings result{"/q", "data"};
    result.tells_contended = true;
    return result;
}

class contender_contended : public test::contender_fixture {
protected:
    contender_contended() : contender_fixture{telling()} {}

    void hold_alone() {
        take_lock();
        ASSERT_EQ(session.op<children_op>(), (children_op{"/q", watch_mode::watch}));
        list_answers({own, "README"});
        ASSERT_EQ(session.times_told<contended>(), 0U);
    }
};

TEST_F(contender_contended, hears_of_those_who_are_there_already) {
    take_lock();
    list_answers({own, other_name(7)});
    EXPECT_EQ(session.times_told<contended>(), 1U);
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_contended, takes_the_next_event_for_an_arrival_and_looks_no_further) {
    hold_alone();
    watch_fires(watch_kind::children, "/q");
    EXPECT_EQ(session.times_told<contended>(), 1U);
    EXPECT_EQ(session.count<children_op>(), 0U);
    watch_fires(watch_kind::children, "/q");
    EXPECT_EQ(session.times_told<contended>(), 1U);
}

TEST_F(contender_contended, looks_again_on_a_new_connection) {
    hold_alone();
    detach();
    attach();
    ASSERT_EQ(session.count<children_op>(), 1U);
    list_answers({own, other_name(7)});
    EXPECT_EQ(session.times_told<contended>(), 1U);
}

TEST_F(contender_contended, gives_way_where_it_may_not_look) {
    take_lock();
    send_error<children_op>(server_error::no_auth);
    EXPECT_EQ(session.times_told<contended>(), 1U);
}

TEST_F(contender_contended, its_own_removal_fires_the_watch) {
    hold_alone();
    lock.leave(session.event(), errc::cancelled);
    send_ok<remove_op>();
    expect_gone();
    EXPECT_THAT(session.given_back, IsEmpty());
}

TEST_F(contender_contended, a_removal_by_others_gives_the_watch_back_or_finds_it_fired) {
    hold_alone();
    lock.on_own_znode_gone(session.event());
    EXPECT_EQ(session.times_told<lost>(), 1U);
    EXPECT_THAT(session.watched, IsEmpty());
}

}  // namespace
}  // namespace turnstile::core
