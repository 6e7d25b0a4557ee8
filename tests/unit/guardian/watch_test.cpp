// SPDX-License-Identifier: Apache-2.0
// What a guardian hears before it may close anything.
#include "guardian/watch.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guardian/link.hpp"
#include "guardian/listener.hpp"
#include "guardian/start.hpp"

namespace turnstile::guardian::hearing {
namespace {

guard_session session_of_a_test() {
    guard_session result{.id = 1, .timeout = std::chrono::seconds{30}, .servers = {endpoint{}}};
    result.servers[0].address.ss_family = AF_INET;
    result.servers[0].length = sizeof(sockaddr_in);
    return result;
}

class guardian_watch : public ::testing::Test {
protected:
    guardian_watch() { all.listen_at(open_listener(name)); }

    const std::string name = random_name();
    watch all;
};

TEST_F(guardian_watch, hears_more_than_a_socket_holds) {
    auto socket = connect_guardian(name);
    ASSERT_TRUE(socket.open());
    pollfd room{socket.get(), POLLOUT, 0};
    link process{std::move(socket)};
    constexpr int k_more_than_fit = 2'000;
    for (int i = 0; i != k_more_than_fit; ++i) {
        process.tell(session_of_a_test());
        all.hear();
        ASSERT_EQ(::poll(&room, 1, 0), 1) << "the socket is full after " << i;
    }
    EXPECT_TRUE(all.guards());
    EXPECT_EQ(all.sockets().size(), 2U);
    process.tell(forget_session{1});
    all.hear();
    EXPECT_TRUE(all.guards());  // as long as it may tell of another session
}

TEST_F(guardian_watch, closes_nothing_while_it_only_hears) {
    const pid_t child = ::fork();
    if (child == 0) {
        link{connect_guardian(name)}.tell(session_of_a_test());
        ::_exit(0);
    }
    siginfo_t ended{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
    all.hear();
    all.hear();
    EXPECT_TRUE(all.guards());
    EXPECT_FALSE(all.closes());
    all.turn(-1, std::chrono::milliseconds{0});
    EXPECT_FALSE(all.guards());
    EXPECT_TRUE(all.closes());
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace turnstile::guardian::hearing
