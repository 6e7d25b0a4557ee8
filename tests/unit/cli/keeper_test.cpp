// SPDX-License-Identifier: Apache-2.0
// Tests the keeper, the child of `turnstile run` that starts and kills the command. The test acts as `run`.
#include "cli/keeper.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>

#include "guardian/guardian_link.hpp"
#include "guardian/start.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::cli::kept {
namespace {

// `turnstile elect` runs for a long time and often attaches a session. It reports this to the keeper (the child that
// kills the command) each time. The keeper must read each report, or the socket fills.
TEST(keeper, reads_what_it_is_told_of_sessions) {
    process_guard guard{guard_choice::automatic};
    auto keeper = start_keeper({.command = {"true"}}, guard);
    auto socket = guardian::connect_guardian(guardian_name(keeper));
    ASSERT_TRUE(socket.open());
    guardian::guard_session told{
        .id = 1, .timeout = std::chrono::seconds{1}, .servers = {guardian::endpoint{}}};
    told.servers[0].address.ss_family = AF_INET;
    told.servers[0].length = sizeof(sockaddr_in);
    pollfd room{socket.get(), POLLOUT, 0};
    {
        guardian::guardian_link process{std::move(socket)};
        constexpr int k_more_than_fit = 2'000;
        for (int i = 0; i != k_more_than_fit; ++i) {
            process.tell(told);
            const auto limit = static_cast<int>(testing::limit().count());
            ASSERT_EQ(::poll(&room, 1, limit), 1) << "the socket is full after " << i;
        }
        process.tell(guardian::forget_session{1});
    }
    end_keeper(std::move(keeper));
}

}  // namespace
}  // namespace turnstile::cli::kept
