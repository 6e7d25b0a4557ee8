// SPDX-License-Identifier: Apache-2.0
#include "sql/session_files.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "guardian/peer.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::sql {
namespace {

class session_files_test : public ::testing::Test {
protected:
    session_files_test() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
        process = std::make_shared<guardian::guardian_link>(support::descriptor{ends[0]});
        watched.emplace(support::descriptor{ends[1]});
    }
    [[nodiscard]] session_files files(
        std::shared_ptr<guardian::guardian_link> told = nullptr) const {
        return {at.path() / "sessions", 0600, std::move(told)};
    }

    static constexpr std::int64_t k_session = 7;
    const testing::temporary_folder at;
    const session_files others = files();
    std::shared_ptr<guardian::guardian_link> process;
    std::optional<guardian::peer> watched;
};

TEST_F(session_files_test, a_session_is_gone_with_its_file) {
    auto own = files();
    own.make_own(k_session);
    EXPECT_TRUE(others.is_alive(k_session));
    own.release_own(false);
    EXPECT_TRUE(others.is_gone(k_session));
}

// The session's process was killed. The guardian (a process that closes the sessions of dead processes) has not ended
// the session yet.
TEST_F(session_files_test, a_session_is_gone_no_earlier_than_a_guardian_lets_go) {
    {
        auto own = files(process);
        own.make_own(k_session);
        ASSERT_TRUE(watched->read_all());
    }
    EXPECT_TRUE(others.is_alive(k_session));
    watched.reset();
    EXPECT_TRUE(others.is_gone(k_session));
}

TEST_F(session_files_test, a_guardian_is_told_of_an_end) {
    {
        auto own = files(process);
        own.make_own(k_session);
    }
    ASSERT_TRUE(watched->read_all());
    EXPECT_TRUE(others.is_gone(k_session));
}

TEST_F(session_files_test, a_guardian_is_told_that_another_session_takes_the_place) {
    auto own = files(process);
    own.make_own(k_session);
    own.make_own(k_session + 1);
    ASSERT_TRUE(watched->read_all());
    EXPECT_FALSE(others.is_alive(k_session));
    EXPECT_TRUE(others.is_alive(k_session + 1));
    EXPECT_EQ(watched->kept_open().size(), 1U);
}

}  // namespace
}  // namespace turnstile::sql
