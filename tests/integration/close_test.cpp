// SPDX-License-Identifier: Apache-2.0
// Tests how long close() waits for servers that do not answer (turnstile/client.hpp).
#include <future>

#include "support.hpp"

namespace turnstile::tests {
namespace {

class close_beside_stopped_servers : public ::testing::Test {
protected:
    static constexpr std::chrono::milliseconds k_close_timeout = 1s;
    static constexpr std::chrono::milliseconds k_end_of_connections = 4500ms;
    // allowance for delays on a busy machine
    static constexpr std::chrono::milliseconds k_delay = 5s;
    // All sessions close in parallel. In sequence they would take longer than the documented limit of close().
    static constexpr unsigned k_sessions = 16;

    ensemble servers{{.count = 3}};

    [[nodiscard]] std::unique_ptr<client> connect_sessions(std::chrono::milliseconds timeout) {
        auto options = quick_options(timeout);
        options.sessions = k_sessions;
        options.close_timeout = k_close_timeout;
        auto opened = connect(servers.connect_string(), options);
        for (unsigned i = 0; i != k_sessions; ++i)
            EXPECT_TRUE(
                eventually([&] { return opened->session(i).state == session_state::connected; }));
        return opened;
    }
    void pause_servers() {
        for (std::size_t i = 0; i != servers.size(); ++i) servers.pause(i);
    }
    // Returns true if the client closes within the documented time. The servers resume at the end, so close() always
    // returns.
    [[nodiscard]] bool closes_in_time(client& closed) {
        auto closing = std::async(std::launch::async, [&] { closed.close(); });
        const auto longest = k_close_timeout + k_end_of_connections + testing::scaled(k_delay);
        const bool in_time = closing.wait_for(longest) == std::future_status::ready;
        for (std::size_t i = 0; i != servers.size(); ++i) servers.resume(i);
        closing.get();
        return in_time;
    }
};

// The client asks the servers to end its sessions, and no answer comes.
TEST_F(close_beside_stopped_servers, returns_in_time_while_the_connections_stand) {
    const auto holder = connect_sessions(60s);
    mutex lock{*holder, lock_path()};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    pause_servers();
    EXPECT_TRUE(closes_in_time(*holder));
    EXPECT_FALSE(hold.valid());
    EXPECT_EQ(holder->state(), session_state::closed);
}

// The C client tries one stopped server after another. The kernel still accepts the connections to a stopped server, so
// each attempt takes long.
TEST_F(close_beside_stopped_servers, returns_in_time_while_connections_are_made) {
    const auto holder = connect_sessions(6s);
    mutex lock{*holder, lock_path()};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    pause_servers();
    ASSERT_TRUE(eventually([&] { return holder->state() != session_state::connected; }));
    EXPECT_TRUE(closes_in_time(*holder));
    EXPECT_FALSE(hold.valid());
    EXPECT_EQ(holder->state(), session_state::closed);
}

}  // namespace
}  // namespace turnstile::tests
