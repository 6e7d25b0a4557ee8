// SPDX-License-Identifier: Apache-2.0
// Tests the guardian, a process that closes the sessions of dead processes. The guardian's memory and its number of
// descriptors must not grow while hundreds of processes and sessions come and end. After the last session, the guardian
// must end.
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "fake_server.hpp"
#include "guardian/guardian_link.hpp"
#include "guardian/start.hpp"
#include "turnstile/testing/guardian_program.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::guardian {
namespace {

constexpr int k_warm_up = 50;  // after these turns all permanent objects exist
constexpr int k_turns = 500;
// Each session takes more than 8 KiB. If the guardian kept some sessions, its growth would exceed this limit, which
// allows for the kernel's inexact count of pages.
constexpr std::size_t k_most_growth_kb = 1024;

guard_session session(std::int64_t id, const endpoint& server) {
    return {.id = id,
            .secret = {'p'},
            .timeout = std::chrono::seconds{30},
            .servers = std::vector<endpoint>(k_most_endpoints, server)};
}

// A process's number of descriptors, and its memory. Only root can read the number of descriptors, so for other users
// that number is 0.
struct footprint {
    explicit footprint(pid_t process) {
        const std::filesystem::path folder = "/proc/" + std::to_string(process);
        std::error_code not_root;
        const std::filesystem::directory_iterator files{folder / "fd", not_root};
        descriptors = std::distance(begin(files), end(files));
        std::ifstream status{folder / "status"};
        for (std::string word; status >> word;)
            if (word == "VmRSS:") status >> resident_kb;
    }
    std::ptrdiff_t descriptors = 0;
    std::size_t resident_kb = 0;
};

class guardian_endurance : public ::testing::Test {
protected:
    // Calls `turn` many times, and checks that the guardian's memory and its number of descriptors do not grow.
    template <class Turn>
    void outlast(pid_t guardian, Turn&& turn) {
        for (int i = 0; i != k_warm_up && !HasFailure(); ++i) turn();
        const footprint before{guardian};
        ASSERT_GT(before.resident_kb, 0U);
        ASSERT_TRUE(before.descriptors > 0 || ::geteuid() != 0);
        for (int i = 0; i != k_turns && !HasFailure(); ++i) turn();
        // `before` may include descriptors for an earlier call of `turn` that the guardian had not closed yet.
        EXPECT_TRUE(testing::eventually(
            [&] { return footprint{guardian}.descriptors <= before.descriptors; }, k_patience))
            << footprint{guardian}.descriptors << " descriptors, and " << before.descriptors
            << " before";
        EXPECT_LE(footprint{guardian}.resident_kb, before.resident_kb + k_most_growth_kb);
    }

    static constexpr std::chrono::seconds k_patience{5};
    fake_server server;
};

TEST_F(guardian_endurance, of_a_parent_over_processes_that_die) {
    const testing::temporary_folder scratch;
    const testing::process parent{
        {.command = {GUARDIAN, "--", "sh", "-c", "echo $TURNSTILE_GUARDIAN; exec sleep infinity"},
         .output = scratch.path() / "log"}};
    ASSERT_TRUE(parent.wait_for_output("\n"));
    auto name = parent.output();
    name.pop_back();
    constexpr std::int64_t k_forgotten = 1;
    std::int64_t left = k_forgotten;
    outlast(parent.pid(), [&] {
        ++left;
        const pid_t child = ::fork();
        if (child == 0) {
            guardian_link process{connect_guardian(name)};
            process.tell(session(k_forgotten, server.where));
            process.tell(session(left, server.where));
            process.tell(forget_session{k_forgotten});
            ::_exit(0);
        }
        ASSERT_EQ(::waitpid(child, nullptr, 0), child);
        server.serve_end(left);
    });
}

TEST_F(guardian_endurance, of_one_that_was_started_over_sessions_until_none_is_left) {
    const testing::guardian_program program{GUARDIAN};
    {
        auto socket = start_guardian(program.path());
        ASSERT_TRUE(socket.open());
        const int number = socket.get();
        guardian_link process{std::move(socket)};
        const auto running = program.running();
        ASSERT_EQ(running.size(), 1U);
        std::int64_t id = 0;
        outlast(running.front(), [&] {
            process.tell(session(++id, server.where));
            process.tell(forget_session{id});
            EXPECT_TRUE(testing::eventually([&] {
                int unread = 0;
                return ::ioctl(number, SIOCOUTQ, &unread) == 0 && unread == 0;
            }));
        });
        EXPECT_EQ(program.running(), running);
    }
    EXPECT_TRUE(testing::eventually([&] { return program.running().empty(); }));
}

}  // namespace
}  // namespace turnstile::guardian
