// SPDX-License-Identifier: Apache-2.0
// Tests the limit on one session's number of znodes.
#include "client/session_parts.hpp"

#include <gtest/gtest.h>

namespace turnstile::detail {
namespace session_room_tests {

constexpr auto k_most = session_room::k_most_owned;

TEST(session_room, is_shared_by_what_is_owned_reserved_and_written) {
    session_room room;
    EXPECT_TRUE(room.reserve(k_most / 4, k_most / 2));
    EXPECT_TRUE(room.write(k_most / 4, k_most / 2));
    EXPECT_FALSE(room.reserve(1, k_most / 2));
    EXPECT_FALSE(room.write(1, k_most / 2));
}

TEST(session_room, comes_back_when_a_call_has_acquired_and_when_a_commit_wrote_nothing) {
    session_room room;
    EXPECT_TRUE(room.reserve(k_most, 0));
    EXPECT_FALSE(room.reserve(1, 0));
    room.hand_over(k_most);
    EXPECT_TRUE(room.write(k_most, 0));
    EXPECT_FALSE(room.reserve(1, 0));
    room.take_back(k_most);
    EXPECT_TRUE(room.reserve(k_most, 0));
}

TEST(session_room, a_commit_without_ephemeral_znodes_always_has_room) {
    session_room room;
    EXPECT_TRUE(room.write(0, k_most + 1));
}

TEST(session_room, a_new_epoch_owns_nothing_that_was_written_before) {
    session_room room;
    room.enter_epoch(1);
    EXPECT_TRUE(room.write(k_most, 0));
    room.enter_epoch(1);
    EXPECT_FALSE(room.reserve(1, 0));
    room.enter_epoch(2);
    EXPECT_TRUE(room.reserve(1, 0));
    room.take_back(k_most);  // a late answer to a commit of the first session
    EXPECT_FALSE(room.reserve(k_most, 0));
}

}  // namespace session_room_tests
}  // namespace turnstile::detail
