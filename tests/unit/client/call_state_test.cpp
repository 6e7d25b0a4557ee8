// SPDX-License-Identifier: Apache-2.0
// Tests the state table of call_state in client/call.hpp.
#include "client/call.hpp"

#include <gtest/gtest.h>

namespace turnstile::detail {
namespace {

using audience = call_state::audience;

TEST(call_state, begins_with_a_caller_that_waits) {
    const call_state state;
    EXPECT_TRUE(state.waits());
    EXPECT_FALSE(state.is_handed() || state.is_given_up());
    EXPECT_FALSE(state.why());
}

TEST(call_state, is_handed_over_once_it_is_held) {
    call_state state;
    state.grant();
    EXPECT_TRUE(state.is_held());
    EXPECT_FALSE(state.is_handed());
    state.hand_over();
    EXPECT_TRUE(state.is_handed());
    EXPECT_FALSE(state.may_tell(audience::waiter));
}

TEST(call_state, keeps_the_reason_of_a_refusal) {
    call_state state;
    state.refuse(errc::timeout);
    EXPECT_FALSE(state.waits() || state.is_held() || state.is_lost());
    EXPECT_EQ(state.why().value(), errc::timeout);
}

TEST(call_state, is_lost_once_and_for_the_first_reason) {
    call_state state;
    state.grant();
    EXPECT_TRUE(state.lose(errc::session_lost));
    EXPECT_FALSE(state.lose(errc::removed));
    EXPECT_TRUE(state.is_lost());
    EXPECT_EQ(state.why().value(), errc::session_lost);
}

TEST(call_state, is_given_up_once) {
    call_state state;
    EXPECT_TRUE(state.give_up());
    EXPECT_FALSE(state.give_up());
}

TEST(call_state, tells_a_waiter_until_the_answer_and_a_holder_until_the_end) {
    call_state state;
    EXPECT_TRUE(state.may_tell(audience::waiter));
    state.grant();
    EXPECT_TRUE(state.may_tell(audience::waiter)) << "the caller has not been answered yet";
    state.hand_over();
    EXPECT_FALSE(state.may_tell(audience::waiter));
    EXPECT_TRUE(state.may_tell(audience::holder));
    state.lose(errc::removed);
    EXPECT_TRUE(state.may_tell(audience::holder)) << "on_lost is such a callback";
    state.give_up();
    EXPECT_FALSE(state.may_tell(audience::holder));
}

}  // namespace
}  // namespace turnstile::detail
