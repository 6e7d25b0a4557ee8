// SPDX-License-Identifier: Apache-2.0
// Tests the states of a session's connection: the allowed changes, and that any other change ends the process.
#include "zookeeper/link_state.hpp"

#include <gtest/gtest.h>

namespace turnstile::zookeeper {
namespace {

link_state entered() {
    link_state state;
    state.enter({});
    return state;
}

link_state attached() {
    auto state = entered();
    state.attach();
    return state;
}

TEST(link_state, counts_connections_and_moves_only_once_it_is_asked) {
    auto state = entered();
    EXPECT_TRUE(state.is_detached());
    state.attach();
    EXPECT_TRUE(state.is_usable_on(1));
    EXPECT_FALSE(state.is_to_move());
    state.begin_move({});
    EXPECT_FALSE(state.is_usable());
    EXPECT_TRUE(state.may_leave(1));
    EXPECT_TRUE(state.is_to_move());
    EXPECT_TRUE(state.take_move());
    EXPECT_FALSE(state.is_to_move());
    state.detach();
    state.attach();
    EXPECT_TRUE(state.is_usable_on(2));
    state.die();
    EXPECT_FALSE(state.is_linked());
}

TEST(link_state_death, each_change_that_the_table_lacks_ends_the_process) {
    EXPECT_DEATH(link_state{}.attach(), "internal check failed");
    EXPECT_DEATH(attached().attach(), "internal check failed");
    EXPECT_DEATH(entered().detach(), "internal check failed");
    EXPECT_DEATH(attached().enter({}), "internal check failed");
    EXPECT_DEATH(entered().begin_move({}), "internal check failed");
    auto dead = entered();
    dead.die();
    EXPECT_DEATH(dead.die(), "internal check failed");
    EXPECT_DEATH(dead.attach(), "internal check failed");
}

}  // namespace
}  // namespace turnstile::zookeeper
