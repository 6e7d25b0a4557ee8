// SPDX-License-Identifier: Apache-2.0
// Tests the admin page's server in this process, on the back end `local:`, with hostile bytes and with many browsers.
// The builds with sanitizers run this test, too.
#include "admin/server.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "admin/hostile_bytes.hpp"
#include "admin/http_link.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

constexpr const char* k_where = "local:admin-server-test";
constexpr std::uint32_t k_hostile = 5'000;
constexpr std::uint32_t k_addresses = 200;

class admin_server : public ::testing::Test {
protected:
    admin_server() {
        std::ofstream{token} << "0123456789abcdef0123\n";
        ::chmod(token.c_str(), 0600);
        servers.wait_connected(testing::limit()).value();
        page.emplace(servers, k_where,
                     admin::server_options{.listen = {"127.0.0.1", 0},
                                           .allow_changes = true,
                                           .token_file = token,
                                           .reading = {.refresh = std::chrono::milliseconds{100},
                                                       .requests_per_second = 2'000}});
        const auto url = page->url();
        port = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
        answers = std::thread{[this] { static_cast<void>(page->run()); }};
    }
    ~admin_server() override {
        page->end();
        answers.join();
        page.reset();
        servers.close();
    }
    [[nodiscard]] std::string name() const { return "127.0.0.1:" + std::to_string(port); }
    [[nodiscard]] http_answer ask(const std::string& target) const {
        const http_link to{port};
        to.send("GET " + target + " HTTP/1.1\r\nHost: " + name() +
                "\r\nConnection: close\r\nAuthorization: Bearer 0123456789abcdef0123\r\n\r\n");
        return to.whole_answer();
    }

    const testing::temporary_folder folder;
    const std::string token = (folder.path() / "token").string();
    client servers{k_where};
    std::optional<admin::server> page;
    std::uint16_t port = 0;
    std::thread answers;
};

TEST_F(admin_server, hostile_bytes_of_any_kind) {
    hostile_bytes bytes{name()};
    std::size_t answered = 0;
    for (std::uint32_t i = 0; i != k_hostile; ++i) {
        const http_link to{port, 2 + i % k_addresses};
        to.send(bytes.next());
        to.finish();
        answered += to.whole_answer().status != 0 ? 1U : 0U;
    }
    EXPECT_GT(answered, 500U);
    EXPECT_TRUE(testing::eventually([&] { return ask("/api/v1/me").status == 200; }));
}

// Browsers request six addresses of the page many times, while a lock is taken and released and another client sends
// invalid requests.
TEST_F(admin_server, many_at_a_time) {
    std::vector<std::thread> crew;
    std::atomic<int> shown{0};
    for (const auto* target : {"/api/v1/locks", "/api/v1/overview", "/api/v1/graph", "/metrics",
                               "/api/v1/lock?path=/locks/a&kind=mutex", "/api/v1/audit"})
        crew.emplace_back([this, target, &shown] {
            for (int i = 0; i != 20; ++i) shown += ask(target).status == 200 ? 1 : 0;
        });
    crew.emplace_back([this] {
        hostile_bytes bytes{name()};
        for (int i = 0; i != 50; ++i) {
            const http_link to{port};
            to.send(bytes.next());
        }
    });
    mutex lock{servers, "/locks/a"};
    for (int i = 0; i != 20; ++i) {
        auto hold = lock.acquire().value();
        ASSERT_TRUE(hold.release());
    }
    for (auto& each : crew) each.join();
    EXPECT_GT(shown, 0);
    EXPECT_TRUE(testing::eventually([&] { return ask("/api/v1/locks").value()["total"] == 0; }));
}

}  // namespace
}  // namespace turnstile::tests
