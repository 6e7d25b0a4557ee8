// SPDX-License-Identifier: Apache-2.0
// Tests the commands on ZooKeeper servers that accept only TLS: `run`, `doctor`, `sessions`, `serve` and `elect`.
#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "admin/http_link.hpp"
#include "secured_servers.hpp"
#include "support.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(zookeeper_tls_command, the_command_runs_and_examines) {
    const testing::temporary_folder folder;
    const auto ended = [&](std::vector<std::string> command, const char* log) {
        command.insert(command.begin(), TURNSTILE_PROGRAM);
        auto running =
            testing::process{{.command = std::move(command),
                              .environment = {"TURNSTILE_SERVERS=" + three().connect_string()},
                              .output = folder.path() / log}};
        EXPECT_TRUE(running.wait());
        return running.output();
    };
    EXPECT_THAT(ended({"run", lock_path(), "--", "echo", "under the lock"}, "run"),
                HasSubstr("under the lock"));
    EXPECT_THAT(ended({"doctor"}, "doctor"), AllOf(HasSubstr("leader"), HasSubstr("3.")));
    EXPECT_THAT(ended({"sessions"}, "sessions"), Not(HasSubstr("rror")));
}

// Starts the command on the three servers. Its output goes to the file `log`.
testing::process started(const std::vector<std::string>& options,
                         const testing::temporary_folder& folder, const char* log) {
    std::vector<std::string> command{TURNSTILE_PROGRAM};
    command.insert(command.end(), options.begin(), options.end());
    return testing::process{{.command = std::move(command),
                             .environment = {"TURNSTILE_SERVERS=" + three().connect_string()},
                             .output = folder.path() / log}};
}

std::uint16_t port_in(const std::string& output) {
    constexpr std::string_view k_begin = "http://127.0.0.1:";
    const auto at = output.find(k_begin);
    EXPECT_NE(at, std::string::npos) << output;
    if (at == std::string::npos) return 0;
    return static_cast<std::uint16_t>(std::atoi(output.c_str() + at + k_begin.size()));
}

http_answer answer_at(std::uint16_t port, const std::string& target) {
    const http_link link{port};
    link.send("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
              "\r\nConnection: close\r\n\r\n");
    return link.whole_answer();
}

// The admin page of `serve` must show the lock, its holder and all three servers.
TEST(zookeeper_tls_command, the_page_is_served) {
    const testing::temporary_folder folder;
    const auto path = lock_path();
    auto page = started({"serve", "--listen", "127.0.0.1:0", "--refresh", "100ms"}, folder, "page");
    ASSERT_TRUE(page.wait_for_output("/\n")) << page.output();
    const auto port = port_in(page.output());
    const auto holder = connect(three().connect_string());
    const auto hold = mutex{*holder, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(eventually([&] {
        const auto overview = answer_at(port, "/api/v1/locks");
        return overview.status == 200 && overview.body.find(path) != std::string::npos;
    })) << answer_at(port, "/api/v1/locks").body;
    const auto servers = [port] { return answer_at(port, "/api/v1/overview").body; };
    EXPECT_TRUE(eventually([&] {
        const auto told = servers();
        for (std::size_t i = 0; i != 3; ++i)
            if (told.find(three().server(i).address()) == std::string::npos) return false;
        return true;
    })) << servers();
}

TEST(zookeeper_tls_command, participants_of_an_election_follow_each_other) {
    const testing::temporary_folder folder;
    const auto elect = [&](const char* id) {
        return started({"elect", "--tick", "200ms", "--sync-limit", "10", "--http", "127.0.0.1:0",
                        "--id", id, lock_path(), "--", "sh", "-c",
                        std::string{"echo "} + id + "-leads; exec tail -f /dev/null"},
                       folder, id);
    };
    auto first = elect("first");
    ASSERT_TRUE(first.wait_for_output("first-leads")) << first.output();
    EXPECT_EQ(answer_at(port_in(first.output()), "/isLeader").status, 200);
    auto second = elect("second");
    ASSERT_TRUE(second.wait_for_output("http://127.0.0.1:")) << second.output();
    EXPECT_TRUE(eventually(
        [&] { return answer_at(port_in(second.output()), "/healthz").body == "waits to lead\n"; }));
    first.terminate();
    ASSERT_TRUE(first.wait());
    EXPECT_TRUE(second.wait_for_output("second-leads")) << second.output();
}

}  // namespace
}  // namespace turnstile::tests
