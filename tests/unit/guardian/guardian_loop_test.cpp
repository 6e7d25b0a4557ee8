// SPDX-License-Identifier: Apache-2.0
// Tests which messages make a guardian close a session. A guardian is a process that closes the sessions of dead
// processes.
#include "guardian/guardian_loop.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "guardian/guardian_link.hpp"
#include "guardian/service.hpp"
#include "guardian/start.hpp"

namespace turnstile::guardian::hearing {
namespace {

guard_session session_of_a_test() {
    guard_session result{.id = 1, .timeout = std::chrono::seconds{30}, .servers = {endpoint{}}};
    result.servers[0].address.ss_family = AF_INET;
    result.servers[0].length = sizeof(sockaddr_in);
    return result;
}

// Sends a copy of the descriptor through the socket. The copy keeps a connection open after its process has ended.
bool send_descriptor(int socket, int passed) {
    char word = 'd';
    iovec part{&word, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr whole{};
    whole.msg_iov = &part;
    whole.msg_iovlen = 1;
    whole.msg_control = room.data();
    whole.msg_controllen = room.size();
    cmsghdr* const head = CMSG_FIRSTHDR(&whole);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &passed, sizeof passed);
    return ::sendmsg(socket, &whole, 0) == 1;
}

support::descriptor received_descriptor(int socket) {
    char word = 0;
    iovec part{&word, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr whole{};
    whole.msg_iov = &part;
    whole.msg_iovlen = 1;
    whole.msg_control = room.data();
    whole.msg_controllen = room.size();
    int passed = -1;
    if (::recvmsg(socket, &whole, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&whole) != nullptr)
        std::memcpy(&passed, CMSG_DATA(CMSG_FIRSTHDR(&whole)), sizeof passed);
    return support::descriptor{passed};
}

class guardian_loop_test : public ::testing::Test {
protected:
    guardian_loop_test() { all.listen_at(place.take_socket()); }
    [[nodiscard]] support::descriptor connected() const { return connect_guardian(place.path()); }
    // Returns the number of sockets without the listener, which is the number of connected processes.
    [[nodiscard]] std::size_t peers() const { return all.sockets().size() - 1; }

    listener place;
    guardian_loop all;
};

TEST_F(guardian_loop_test, hears_more_than_a_socket_holds) {
    auto socket = connected();
    ASSERT_TRUE(socket.open());
    pollfd room{socket.get(), POLLOUT, 0};
    guardian_link process{std::move(socket)};
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
    EXPECT_TRUE(all.guards());  // the process may still announce a session
}

TEST_F(guardian_loop_test, closes_nothing_while_it_only_hears) {
    const pid_t child = ::fork();
    if (child == 0) {
        guardian_link{connected()}.tell(session_of_a_test());
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

void turn(guardian_loop& all) {
    all.turn(-1, std::chrono::milliseconds{0});
}

TEST_F(guardian_loop_test, has_a_bounded_number_of_connections_of_one_process) {
    std::vector<support::descriptor> sockets;
    for (std::size_t i = 0; i != k_most_of_one_process + 2; ++i) {
        sockets.push_back(connected());
        ASSERT_TRUE(sockets.back().open());
        turn(all);
    }
    EXPECT_EQ(peers(), k_most_of_one_process);
}

// Each of these connections belongs to a process that ended without a message.
TEST_F(guardian_loop_test, has_room_for_who_speaks_beside_many_that_are_silent) {
    std::vector<support::descriptor> silent;
    for (std::size_t i = 0; i != k_most_peers + 2; ++i) {
        std::array<int, 2> ends{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
        const support::descriptor carrier{ends[0]};
        const support::descriptor other{ends[1]};
        const pid_t child = ::fork();
        if (child == 0) {
            const auto mine = connected();
            ::_exit(send_descriptor(other.get(), mine.get()) ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
        silent.push_back(received_descriptor(carrier.get()));
        turn(all);
    }
    EXPECT_EQ(peers(), k_most_peers);
    guardian_link process{connected()};
    process.tell(session_of_a_test());
    turn(all);
    turn(all);
    EXPECT_EQ(peers(), k_most_peers);
    process.tell(forget_session{1});
    EXPECT_TRUE(process.alive());
}

}  // namespace
}  // namespace turnstile::guardian::hearing
