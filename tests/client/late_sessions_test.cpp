// SPDX-License-Identifier: Apache-2.0
// Tests servers that accept no further connection, or discard requests. The client must continue with its open
// sessions.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "log_lines.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t k_safe = 128 * 1024;

class late_sessions_test : public shell_test {
protected:
    static constexpr int k_fit = 4;
    // Returns a path that is so long that the znodes of four contenders use up the space of one session.
    static std::string path(int number) {
        const auto name = std::to_string(number);
        return '/' + name + std::string(k_safe / k_fit - 60 - 1 - name.size(), 'x');
    }
    static client_options options() {
        client_options result;
        result.session_timeout = 600ms;  // so the client may take two seconds to open a session
        result.max_sessions = 3;
        return result;
    }
    // Fills the client's only session with holds.
    static std::vector<guard> fill(const client& servers) {
        std::vector<guard> holds;
        for (int i = 0; i != k_fit; ++i)
            holds.push_back(mutex{servers, path(i)}.acquire({.timeout = limit()}).value());
        return holds;
    }
};

TEST_F(late_sessions_test,
       what_waits_in_a_session_that_is_never_attached_is_refused_and_why_is_said) {
    const log_lines lines;
    const auto servers = connect(options());
    const auto holds = fill(*servers);
    faults.refuse_connections();
    for (int i = 0; i != 2; ++i) {
        // Only the refusal can end this call, because it has no timeout.
        const auto refused = mutex{*servers, path(k_fit + i)}.acquire();
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error(), errc::too_many);
        EXPECT_THAT(refused.error().message(),
                    AllOf(HasSubstr("(connected: 1)"), HasSubstr("maxClientCnxns"),
                          HasSubstr("max_sessions to 1")));
    }
    EXPECT_EQ(servers->session_count(), 2U) << "a third one has no better chance";
    EXPECT_TRUE(eventually([&] { return lines.with("maxClientCnxns") == 1; }));
    for (const auto& hold : holds) EXPECT_TRUE(hold.valid());
}

TEST_F(late_sessions_test, room_in_a_session_that_is_attached_is_used_before_one_that_is_not) {
    const auto servers = connect(options());
    auto holds = fill(*servers);
    faults.refuse_connections();
    event refused;
    mutex{*servers, path(k_fit)}.async_acquire({}, [&](const result<guard>&) { refused.set(); });
    ASSERT_TRUE(holds.back().release(limit()));
    const auto taken = mutex{*servers, path(k_fit + 1)}.acquire({.timeout = limit()});
    ASSERT_TRUE(taken) << taken.error().message();
    ASSERT_TRUE(refused.wait());
}

TEST_F(late_sessions_test, a_session_that_is_attached_after_all_is_used_again) {
    const auto servers = connect(options());
    const auto holds = fill(*servers);
    faults.refuse_connections();
    ASSERT_FALSE(mutex(*servers, path(k_fit)).acquire().has_value());
    faults.allow_connections();
    ASSERT_TRUE(eventually([&] { return servers->session(1).state == session_state::connected; }));
    EXPECT_TRUE(mutex(*servers, path(k_fit)).acquire({.timeout = limit()}).has_value());
    EXPECT_EQ(servers->session_count(), 2U);
}

TEST_F(late_sessions_test, a_deadline_that_comes_first_says_what_may_be_wrong) {
    const auto servers = connect({.session_timeout = 60s});
    const auto holds = fill(*servers);
    faults.refuse_connections();
    const auto late = mutex{*servers, path(k_fit)}.acquire({.timeout = 20ms});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), errc::not_connected);
    EXPECT_THAT(late.error().message(), HasSubstr("maxClientCnxns"));
}

// A third of this session timeout is only 200 ms, which may be too short for a slow server. So the client waits longer
// before it concludes that the server refuses further sessions.
TEST_F(late_sessions_test, a_short_time_out_does_not_make_a_slow_server_one_that_refuses) {
    const auto servers = connect(options());
    const auto holds = fill(*servers);
    faults.refuse_connections();
    const auto late = mutex{*servers, path(k_fit)}.acquire({.timeout = 500ms});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), errc::not_connected);
}

TEST_F(late_sessions_test, servers_that_are_away_altogether_refuse_nothing) {
    faults.refuse_connections();
    client servers{where, options()};
    const auto late = mutex{servers, "/a"}.acquire({.timeout = 2500ms});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), errc::not_connected);
}

TEST_F(late_sessions_test, requests_that_a_server_throws_away_are_sent_again) {
    const auto servers = connect({.retry_longest = 100ms});
    mutex lock{*servers, "/a"};
    faults.set_traffic(servers->session().id, local::traffic::throttled);
    event granted;
    guard held;
    lock.async_acquire({}, [&](result<guard> outcome) {
        held = std::move(outcome).value();
        granted.set();
    });
    EXPECT_EQ(lock.acquire({.timeout = 50ms}).error(), errc::timeout);
    EXPECT_FALSE(granted.is_set());
    faults.set_traffic(servers->session().id, local::traffic::flows);
    ASSERT_TRUE(granted.wait());
    EXPECT_TRUE(held.release(limit()));
}

}  // namespace
}  // namespace turnstile::tests
