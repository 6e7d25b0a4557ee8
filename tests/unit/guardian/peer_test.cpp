// SPDX-License-Identifier: Apache-2.0
#include "guardian/peer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/syscall.h>

#include <cstring>

#include "guardian/guardian_link.hpp"

namespace turnstile::guardian {
namespace {

using namespace std::chrono_literals;

struct both_ends {
    both_ends() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
        mine = support::descriptor{ends[0]};
        theirs = support::descriptor{ends[1]};
    }
    support::descriptor mine;
    support::descriptor theirs;
};

guard_session session(std::int64_t id) {
    guard_session result{.id = id, .timeout = 30s, .servers = {endpoint{}}};
    result.servers[0].address.ss_family = AF_INET;
    result.servers[0].length = sizeof(sockaddr_in);
    return result;
}

bool send(const support::descriptor& socket, const packet& bytes) {
    return ::send(socket.get(), bytes.data(), bytes.size(), 0) == std::ssize(bytes);
}

void send_hello(const support::descriptor& socket, int passed) {
    auto bytes = encode(hello{});
    iovec part{bytes.data(), bytes.size()};
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
    ASSERT_GE(::sendmsg(socket.get(), &whole, 0), 0);
}

TEST(guardian_peer, hears_what_a_link_tells) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    ASSERT_TRUE(told.admitted());
    {
        guardian_link process{std::move(ends.mine)};
        process.tell(session(1));
        process.tell(session(2));
        process.tell(session(2));
        process.tell(forget_session{1});
    }
    EXPECT_TRUE(told.read_all());
    EXPECT_GE(told.pidfd(), 0);
    EXPECT_EQ(told.socket(), -1);  // the peer has read the end of the connection
    EXPECT_FALSE(told.idle());
    const auto left = told.take_sessions();
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].id, 2);
    EXPECT_TRUE(told.idle());
}

guard_module_session module_session(std::uint64_t number) {
    return {.number = number, .timeout = 30s, .id = 1, .proof = "p", .servers = "redis://r"};
}

// Two servers, such as a Redis and a PostgreSQL server, may use the same session id. So each session also has a number,
// which its process chooses.
TEST(guardian_peer, hears_of_sessions_of_modules) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    {
        guardian_link process{std::move(ends.mine)};
        process.tell(module_session(1));
        process.tell(module_session(2));
        process.tell(module_session(2));
        process.tell(session(2));
        process.tell(forget_module_session{1});
    }
    EXPECT_TRUE(told.read_all());
    EXPECT_EQ(told.size(), 2U);
    const auto left = told.take_module_sessions();
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].number, 2U);
    EXPECT_FALSE(told.idle());
    EXPECT_EQ(told.take_sessions().size(), 1U);
    EXPECT_TRUE(told.idle());
}

TEST(guardian_peer, a_link_hears_what_the_guardian_cannot_end) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    guardian_link process{std::move(ends.mine)};
    EXPECT_TRUE(process.ends("redis://r/locks"));
    told.tell(cannot_end{"redis://"});
    EXPECT_FALSE(process.ends("redis://r/locks"));
    EXPECT_FALSE(process.ends("redis://other"));
    EXPECT_TRUE(process.ends("postgresql://p/locks"));
    EXPECT_TRUE(process.guards());
}

TEST(guardian_peer, only_the_guardian_says_what_it_cannot_end) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    guardian_link process{std::move(ends.mine)};
    process.tell(cannot_end{"redis://"});
    EXPECT_FALSE(told.read_all());
}

TEST(guardian_peer, names_the_schemes_of_its_sessions_once) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    guardian_link process{std::move(ends.mine)};
    process.tell(module_session(1));
    process.tell(module_session(2));
    EXPECT_TRUE(told.read_all());
    EXPECT_EQ(told.take_schemes(), std::set<std::string>{"redis://"});
    EXPECT_TRUE(told.take_schemes().empty());
}

// Several clients of a process use one inherited socket.
TEST(guardian_peer, hears_a_further_link_of_its_process) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    guardian_link first{support::descriptor{::fcntl(ends.mine.get(), F_DUPFD_CLOEXEC, 0)}};
    guardian_link second{std::move(ends.mine)};
    first.tell(session(1));
    second.tell(session(2));
    EXPECT_TRUE(told.read_all());
    EXPECT_EQ(told.size(), 2U);
    EXPECT_TRUE(first.guards());
}

TEST(guardian_peer, is_refused_without_a_hello) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    ASSERT_TRUE(send(ends.mine, encode(session(1))));
    EXPECT_FALSE(told.read_all());
}

TEST(guardian_peer, is_refused_with_a_hello_that_brings_no_pidfd) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    ASSERT_TRUE(send(ends.mine, encode(hello{})));
    EXPECT_FALSE(told.read_all());
}

TEST(guardian_peer, is_refused_with_another_descriptor) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    const support::descriptor file{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    send_hello(ends.mine, file.get());
    EXPECT_FALSE(told.read_all());
}

TEST(guardian_peer, is_refused_with_the_pidfd_of_another_process) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    const support::descriptor parent{static_cast<int>(::syscall(SYS_pidfd_open, ::getppid(), 0))};
    ASSERT_TRUE(parent.open());
    send_hello(ends.mine, parent.get());
    EXPECT_FALSE(told.read_all());
}

TEST(guardian_peer, is_refused_with_nonsense) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    guardian_link process{support::descriptor{::fcntl(ends.mine.get(), F_DUPFD_CLOEXEC, 0)}};
    ASSERT_TRUE(send(ends.mine, packet(k_longest_message + 1, std::byte{1})));
    EXPECT_FALSE(told.read_all());
}

TEST(guardian_peer, has_so_many_sessions_at_most) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    guardian_link process{std::move(ends.mine)};
    for (std::size_t i = 0; i != k_most_sessions + 2; ++i) {
        process.tell(session(static_cast<std::int64_t>(i) + 1));
        process.tell(module_session(i));
        ASSERT_TRUE(told.read_all());
    }
    EXPECT_EQ(told.take_module_sessions().size(), k_most_sessions);
    EXPECT_EQ(told.take_sessions().size(), k_most_sessions);
}

// A pipe whose reader notices when the last writer closes.
struct kept_pipe {
    kept_pipe() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
        reader = support::descriptor{ends[0]};
        writer = support::descriptor{ends[1]};
    }
    [[nodiscard]] bool is_closed() const {
        char nothing = 0;
        return ::read(reader.get(), &nothing, 1) == 0;
    }
    support::descriptor reader;
    support::descriptor writer;
};

TEST(guardian_peer, keeps_files_open_until_it_is_gone_or_told) {
    both_ends ends;
    kept_pipe kept;
    kept_pipe given_up;
    {
        peer told{std::move(ends.theirs)};
        {
            guardian_link process{std::move(ends.mine)};
            static_cast<void>(process.keep_open(kept.writer.get()));
            const auto number = process.keep_open(given_up.writer.get());
            kept.writer.reset();
            given_up.writer.reset();
            EXPECT_TRUE(told.read_all());
            EXPECT_EQ(told.kept_open().size(), 2U);
            EXPECT_FALSE(given_up.is_closed());
            process.tell(let_go{number});
        }
        EXPECT_TRUE(told.read_all());
        EXPECT_TRUE(given_up.is_closed());
        EXPECT_FALSE(kept.is_closed());
        EXPECT_FALSE(told.idle());
    }
    EXPECT_TRUE(kept.is_closed());
}

TEST(guardian_peer, keeps_so_many_files_open_at_most) {
    both_ends ends;
    kept_pipe kept;
    peer told{std::move(ends.theirs)};
    guardian_link process{std::move(ends.mine)};
    for (std::size_t i = 0; i != k_most_kept_open + 2; ++i) {
        static_cast<void>(process.keep_open(kept.writer.get()));
        ASSERT_TRUE(told.read_all());
    }
    EXPECT_EQ(told.kept_open().size(), k_most_kept_open);
}

TEST(guardian_peer, is_refused_with_nothing_to_keep_open) {
    both_ends ends;
    peer told{std::move(ends.theirs)};
    const guardian_link process{support::descriptor{::fcntl(ends.mine.get(), F_DUPFD_CLOEXEC, 0)}};
    ASSERT_TRUE(send(ends.mine, encode(keep_open{1})));
    EXPECT_FALSE(told.read_all());
}

TEST(guardian_link, goes_on_when_the_guardian_lags_or_is_gone) {
    both_ends ends;
    guardian_link process{std::move(ends.mine)};
    constexpr std::int64_t k_more_than_fit = 10'000;
    for (std::int64_t id = 1; id != k_more_than_fit; ++id) process.tell(session(id));
    EXPECT_TRUE(process.alive());  // nothing was read, and the call did not block
    EXPECT_FALSE(process.guards());
    ends.theirs.reset();
    process.tell(session(1));
    EXPECT_FALSE(process.alive());
}

TEST(guardian_link, sees_that_the_guardian_is_gone) {
    both_ends ends;
    const guardian_link process{std::move(ends.mine)};
    EXPECT_TRUE(process.guards());
    ends.theirs.reset();
    EXPECT_FALSE(process.guards());
}

}  // namespace
}  // namespace turnstile::guardian
