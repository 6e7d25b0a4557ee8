// SPDX-License-Identifier: Apache-2.0
// Tests what simulation::history, the record of all znodes of a run, contains after the servers have lost data.
#include "simulation/history.hpp"

#include <gtest/gtest.h>

namespace turnstile::simulation {
namespace {

using namespace std::chrono_literals;

constexpr session_id k_owner = 7;
constexpr const char* k_folder = "/locks/rw";
constexpr const char* k_odd =
    "/locks/rw/_c_d3b70a9c-25c0-4897-9e27-73778a411db7-__WRIT__0000000001";
constexpr const char* k_even =
    "/locks/rw/_c_d3b70a9c-25c0-4897-9e27-73778a411db7-__READ__0000000002";

class lost_data : public ::testing::Test {
protected:
    void create(const char* znode, std::int64_t zxid) {
        truth.on_created(znode, "client 0 contender 1", k_owner, zxid, arrival::in_time);
    }
    void remove(const char* znode, std::int64_t zxid, removal why = removal::by_owner) {
        truth.on_deleted(znode, zxid, why, at);
    }

    history truth;
    const instant at = instant{} + 1s;
};

TEST_F(lost_data, bring_back_what_was_removed_and_take_what_was_made) {
    create(k_odd, 1);
    remove(k_odd, 2);
    create(k_even, 3);
    truth.on_lost_data(1, at, true);
    EXPECT_EQ(truth.standing(), std::vector<std::string>{k_odd});
    EXPECT_EQ(truth.find(k_odd)->returned_at, at);
    EXPECT_EQ(truth.find(k_even)->why, removal::lost);
}

// If a contender is renamed back and forth, it has the same name again and again.
TEST_F(lost_data, leave_a_name_to_the_znode_that_is_back) {
    create(k_odd, 1);
    remove(k_odd, 2);
    create(k_even, 2);
    remove(k_even, 3);
    create(k_odd, 3);
    truth.on_lost_data(1, at, true);
    remove(k_odd, 4, removal::with_session);
    EXPECT_TRUE(truth.standing().empty());
}

TEST_F(lost_data, tell_what_its_own_client_had_given_up_from_what_another_one_had_removed) {
    for (const auto why :
         {removal::by_owner, removal::with_session, removal::by_hand, removal::early}) {
        truth = {};
        create(k_odd, 1);
        remove(k_odd, 2, why);
        truth.on_lost_data(1, at, true);
        const auto& back = truth.of(k_folder).front();
        EXPECT_EQ(back.was_given_up, why == removal::by_owner || why == removal::with_session);
        EXPECT_EQ(back.was_forced, why == removal::by_hand);
    }
}

// An operator deletes a contender's znode, and the servers then lose this deletion. If the contender is renamed later,
// the history must still know both facts.
TEST_F(lost_data, are_the_reason_why_a_renamed_contender_stands) {
    create(k_odd, 1);
    remove(k_odd, 2, removal::by_hand);
    truth.on_lost_data(1, at, true);
    remove(k_odd, 3);
    create(k_even, 3);
    EXPECT_EQ(truth.find(k_even)->place, 1);
    EXPECT_EQ(truth.find(k_even)->returned_at, at);
    EXPECT_TRUE(truth.find(k_even)->was_forced);
}

TEST_F(lost_data, have_not_been_given_up_where_an_operator_had_closed_the_session) {
    create(k_odd, 1);
    truth.on_closed_by_hand(k_owner, 2);
    remove(k_odd, 2, removal::with_session);
    truth.on_lost_data(1, at, true);
    EXPECT_FALSE(truth.find(k_odd)->was_given_up);
    EXPECT_TRUE(truth.find(k_odd)->was_forced);
}

}  // namespace
}  // namespace turnstile::simulation
