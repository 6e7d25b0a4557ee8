// SPDX-License-Identifier: Apache-2.0
// Tests a connection on which no answer arrives while another server answers. The client leaves that connection long
// before the session can expire (connection_failures.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class session_silence : public test::session_fixture {
protected:
    static constexpr duration k_limit = 3s;

    static session_core_settings impatient(duration limit = k_limit) {
        auto result = settings();
        result.connection_timeout = limit;
        return result;
    }
    session_silence() : session_fixture{impatient()} {}
    explicit session_silence(duration limit) : session_fixture{impatient(limit)} {}

    void find() { on_event(link(link_kind::found_elsewhere)); }
    void arrive(server_role role = server_role::leader) {
        detach();
        attach(role);
    }
    // Starts a session with a create in progress, which the server does not answer.
    void fall_silent() {
        start_attached();
        acquire(k_ann);
    }
};

TEST_F(session_silence, is_a_reason_to_look_after_the_connection_timeout) {
    fall_silent();
    pass(k_limit - 1ms);
    EXPECT_THAT(looks, IsEmpty());
    pass(1ms);
    EXPECT_THAT(looks, ElementsAre(look_elsewhere{1, k_limit / 8}));
    EXPECT_THAT(left, IsEmpty()) << "no server has answered elsewhere";
}

TEST_F(session_silence, is_left_for_a_server_that_answers) {
    fall_silent();
    pass(k_limit);
    find();
    EXPECT_THAT(left, ElementsAre(1));
}

// If no other server answers either, the ensemble has failed or the client's machine is overloaded. So the client stays
// at its server.
TEST_F(session_silence, of_all_servers_is_waited_out) {
    fall_silent();
    pass(k_timeout);
    EXPECT_THAT(looks, SizeIs(4))
        << "after 3, 8, 13 and 18 s; the servers' own client leaves after 20 s";
    EXPECT_THAT(left, IsEmpty());
}

TEST_F(session_silence, that_has_ended_before_the_look_is_answered_is_none) {
    fall_silent();
    pass(k_limit);
    answer<create_op>(server_error::ok);
    find();
    EXPECT_THAT(left, IsEmpty());
}

// The process was stopped, and the servers' messages waited in its socket. The process reads these messages before its
// search for another server ends, so the server does not count as silent.
TEST_F(session_silence, of_a_process_that_stood_still_is_none) {
    fall_silent();
    stand_still(k_timeout / 2);
    ASSERT_THAT(looks, SizeIs(1));
    answer<create_op>(server_error::ok);
    find();
    pass(1s);
    EXPECT_THAT(left, IsEmpty());
}

// On an overloaded machine all servers seem silent, and the search for another server takes long as well. So the
// duration of the search counts as a round trip, and the client stays.
TEST_F(session_silence, counts_the_look_as_a_round_trip) {
    fall_silent();
    pass(k_limit);
    pass(k_limit / 2);
    find();
    EXPECT_THAT(left, IsEmpty());
}

TEST_F(session_silence, of_another_connection_is_none_of_this_one) {
    fall_silent();
    pass(k_limit);
    auto late = link(link_kind::found_elsewhere);
    arrive(server_role::standalone);
    on_event(late);
    EXPECT_THAT(left, IsEmpty());
}

TEST_F(session_silence, ends_with_any_answer) {
    fall_silent();
    pass(k_limit - 1ms);
    answer<create_op>(server_error::ok);
    pass(k_limit - 1ms);
    EXPECT_THAT(looks, IsEmpty()) << "the list is under way, and the server has answered since";
}

TEST_F(session_silence, begins_with_a_request) {
    start_attached();
    take_lock(k_ann);
    for (int i = 0; i != 10; ++i) {
        pass(1s);
        answer_all_ok();
    }
    EXPECT_THAT(looks, IsEmpty());
}

// A server counts as silent after eight of its round trips. Here a round trip takes 1 s, so 8 s must pass.
TEST_F(session_silence, of_a_slow_server_lasts_longer) {
    fall_silent();
    pass(1s);
    answer<create_op>(server_error::ok);  // the session then lists the folder's children
    pass(8 * 1s - 1ms);
    EXPECT_THAT(looks, IsEmpty());
    pass(1ms);
    EXPECT_THAT(looks, SizeIs(1));
}

TEST_F(session_silence, after_a_departure_is_waited_out_for_a_session_timeout) {
    start_attached();
    take_lock(k_ann);
    answer_all_ok();
    pass(k_timeout / 5 + k_limit);
    find();
    ASSERT_THAT(left, SizeIs(1));
    arrive();
    answer_all_ok();
    pass_answered(k_timeout - k_limit - 1s);
    looks.clear();
    acquire(k_bob);
    pass(k_limit + 1s - 1ms);
    EXPECT_THAT(looks, IsEmpty());
    pass(1ms);
    EXPECT_THAT(looks, SizeIs(1));
    find();
    EXPECT_THAT(left, SizeIs(2));
}

// Each search finds another server at once, so the client leaves the silent connection. Each next connection also falls
// silent, before a late answer could show that round trips are long.
TEST_F(session_silence, again_and_again_costs_a_departure_in_a_session_timeout_at_most) {
    start_attached();
    take_lock(k_ann);
    std::vector<time_point> departures;
    const auto start = now;
    while (now < start + 20 * k_timeout) {
        answer_all_ok();
        pass_answered(4s);
        for (int i = 0; i != 70 && left.empty(); ++i) {
            pass(100ms);
            if (!std::exchange(looks, {}).empty()) find();
        }
        if (!std::exchange(left, {}).empty()) departures.push_back(now);
        arrive();
    }
    ASSERT_GT(departures.size(), 5U) << "not what this test is about";
    for (std::size_t i = 1; i != departures.size(); ++i)
        EXPECT_GE(departures[i], departures[i - 1] + k_timeout);
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

// ---- moves that could cost a hold ------------------------------------------------------------

TEST_F(session_silence, under_a_hold_is_left_while_the_lease_outlives_the_move) {
    start_attached();
    take_lock(k_ann);
    answer_all_ok();
    pass(k_timeout / 5 + k_limit);
    ASSERT_THAT(looks, SizeIs(1));
    find();
    EXPECT_THAT(left, SizeIs(1));
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

// Here a lease through a follower lasts 6 s: the session timeout (18 s) minus the time until the leader learns of the
// follower's answers (12 s). A move to another server may take longer.
TEST_F(session_silence, is_not_left_where_a_holds_lease_could_end_on_the_way) {
    start();
    attach(server_role::follower, 18s);
    take_lock(k_ann);
    pass_answered(60s);
    EXPECT_EQ(told<lost>(k_ann), 0U);
    pass(12s);
    EXPECT_THAT(looks, IsEmpty());
    EXPECT_THAT(left, IsEmpty());
}

class session_silence_without_limit : public session_silence {
protected:
    session_silence_without_limit() : session_silence{0s} {}
};

TEST_F(session_silence_without_limit, is_left_to_the_servers_client) {
    fall_silent();
    pass(k_timeout);
    find();
    EXPECT_THAT(looks, IsEmpty());
    EXPECT_THAT(left, IsEmpty());
}

}  // namespace
}  // namespace turnstile::core
