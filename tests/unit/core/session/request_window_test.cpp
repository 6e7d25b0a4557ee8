// SPDX-License-Identifier: Apache-2.0
// Tests how many requests of contenders a session may have in progress at a time.
#include <gtest/gtest.h>

#include "core/session/request_window.hpp"
#include "unit/support/times.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using test::at;

constexpr duration k_session = 8s;
constexpr duration k_timely = k_session / k_timely_part;

TEST(request_window, has_room_for_as_many_as_it_starts_with) {
    request_window window{{.first = 2, .most = 8}};
    window.sent(ticket{1}, at(0s));
    EXPECT_TRUE(window.has_room());
    window.sent(ticket{2}, at(0s));
    EXPECT_FALSE(window.has_room());
    window.answered(ticket{1}, at(0s), k_session);
    EXPECT_TRUE(window.has_room());
}

TEST(request_window, grows_while_it_is_wanted_and_answers_are_timely) {
    request_window window{{.first = 2, .most = 5}};
    window.sent(ticket{1}, at(0s));
    window.answered(ticket{1}, at(0s), k_session);
    EXPECT_EQ(window.size(), 2U) << "no contender waited";
    for (const std::size_t wanted : {4U, 5U, 5U}) {
        window.sent(ticket{2}, at(1s));
        window.is_wanted();
        window.answered(ticket{2}, at(1s) + k_timely, k_session);
        EXPECT_EQ(window.size(), wanted);
    }
}

TEST(request_window, halves_when_an_answer_is_late_and_never_closes) {
    request_window window{{.first = 4, .most = 8}};
    for (const std::size_t wanted : {2U, 1U, 1U}) {
        window.sent(ticket{1}, at(0s));
        window.is_wanted();
        window.answered(ticket{1}, at(1ms) + k_timely, k_session);
        EXPECT_EQ(window.size(), wanted);
    }
    EXPECT_TRUE(window.has_room());
}

// The window (the limit on the requests in progress) measures the time of one request at a time, here request 1. So the
// answer to request 2 does not change the window.
TEST(request_window, times_one_request_after_the_other) {
    request_window window{{.first = 2, .most = 8}};
    window.sent(ticket{1}, at(0s));
    window.is_wanted();
    window.sent(ticket{2}, at(0s));
    window.is_wanted();
    window.answered(ticket{1}, at(0s), k_session);
    window.answered(ticket{2}, at(0s), k_session);
    EXPECT_EQ(window.size(), 4U);
}

// A session sends several requests at once. The answer to the first request does not show how long the other requests
// take.
TEST(request_window, times_the_latest_request) {
    request_window window{{.first = 4, .most = 8}};
    window.sent(ticket{1}, at(0s));
    window.sent(ticket{2}, at(0s));
    window.is_wanted();
    window.answered(ticket{1}, at(0s), k_session);
    EXPECT_EQ(window.size(), 4U);
    window.answered(ticket{2}, at(1ms) + k_timely, k_session);
    EXPECT_EQ(window.size(), 2U);
}

TEST(request_window, starts_small_on_a_new_connection_and_counts_what_is_not_answered) {
    request_window window{{.first = 2, .most = 8}};
    window.sent(ticket{1}, at(0s));
    window.is_wanted();
    window.answered(ticket{1}, at(0s), k_session);
    window.sent(ticket{2}, at(0s));
    window.sent(ticket{3}, at(0s));
    EXPECT_TRUE(window.has_room());
    window.reattached();
    EXPECT_FALSE(window.has_room());
}

}  // namespace
}  // namespace turnstile::core
