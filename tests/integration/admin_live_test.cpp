// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile serve` over time: events, servers that go and come back, the end of the program, bad options,
// hostile bytes.
#include "admin/hostile_bytes.hpp"
#include "admin_fixture.hpp"

namespace turnstile::tests {
namespace {

class admin_live : public admin {
protected:
    static void open_stream(const admin_page& page, const http_link& to,
                            const std::string& target) {
        to.send("GET " + target + " HTTP/1.1\r\nHost: " + page.name() + "\r\n\r\n");
    }
    // Runs a command that must refuse to start, and returns its exit code.
    int code_of(const words& options) const {
        words command{TURNSTILE_PROGRAM, "serve"};
        command.insert(command.end(), options.begin(), options.end());
        testing::process refused{{.command = command,
                                  .environment = {"TURNSTILE_SERVERS=127.0.0.1:1"},
                                  .output = log()}};
        EXPECT_TRUE(refused.wait());
        return refused.exit_code().value_or(-1);
    }
    static bool has_metric(const admin_page& page, const std::string& line) {
        return page.ask("/metrics").body.find("\n" + line + "\n") != std::string::npos;
    }
    [[nodiscard]] bool printed(const std::string& text) const {
        std::ifstream in{log()};
        const std::string all{std::istreambuf_iterator<char>{in}, {}};
        return all.find(text) != std::string::npos;
    }
};

TEST_F(admin_live, events_of_all_and_of_one_lock) {
    const auto page = start();
    auto all = page.link();
    open_stream(page, all, "/api/v1/events");
    ASSERT_TRUE(all.receive_until("Content-Type: text/event-stream"));
    ASSERT_TRUE(all.receive_until("retry: 2000"));
    ASSERT_TRUE(all.receive_until("event: overview\nid: "));
    ASSERT_TRUE(all.receive_until("\"totals\""));
    auto single = page.link();
    open_stream(page, single, "/api/v1/events?path=" + path + "&kind=mutex");
    ASSERT_TRUE(single.receive_until("event: lock\nid: "));
    mutex lock{*observer, path};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    ASSERT_TRUE(single.receive_until("event: lock\nid: "));
    EXPECT_EQ(page.ask("/api/v1/overview").value()["watchers"], 2);
    observer->close();
}

TEST_F(admin_live, servers_that_go_and_come_back) {
    ensemble own;
    own.wait_until_serving();
    auto there = connect(own.connect_string());
    mutex lock{*there, path};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const admin_page page{own.connect_string(), {}, log()};
    ASSERT_TRUE(shows(page, "/api/v1/locks", [](const json& seen) { return seen["total"] == 1; }));
    auto events = page.link();
    open_stream(page, events, "/api/v1/events");
    ASSERT_TRUE(events.receive_until("event: overview"));
    own.kill(0);
    ASSERT_TRUE(events.receive_until("event: stale"));
    const auto stale = page.ask("/api/v1/locks");
    EXPECT_EQ(stale.status, 200);
    EXPECT_EQ(stale.value()["meta"]["stale"], true);
    EXPECT_EQ(stale.value()["total"], 1);
    EXPECT_EQ(page.ask("/healthz").status, 503);
    own.start(0);
    own.wait_until_serving();
    ASSERT_TRUE(events.receive_until("event: fresh"));
    EXPECT_EQ(page.ask("/api/v1/locks").value()["meta"]["stale"], false);
    there->close();
}

// The page's next regular read is a minute away, so the page must read again as soon as its connection is back.
TEST_F(admin_live, a_break_that_heals_by_itself_is_over_at_once) {
    testing::tcp_proxy way{server().connect_string()};
    const admin_page page{way.address(), {"--refresh", "1m"}, log()};
    const auto answers = [&] { return page.ask("/healthz").status; };
    ASSERT_TRUE(eventually([&] { return has_metric(page, "turnstile_rounds_total 2"); }));
    ASSERT_EQ(answers(), 200);
    way.refuse();
    ASSERT_TRUE(eventually([&] { return answers() == 503; }));
    way.accept();
    EXPECT_TRUE(eventually([&] { return answers() == 200; }));
}

TEST_F(admin_live, no_servers_at_the_start) {
    const testing::loopback_port nothing;
    const admin_page page{nothing.address(), {}, log()};
    const auto answer = page.ask("/api/v1/overview");
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.code(), "no_snapshot");
    EXPECT_EQ(page.ask("/").status, 200);
}

TEST_F(admin_live, ends_at_once) {
    auto page = start();
    auto events = page.link();
    open_stream(page, events, "/api/v1/events");
    ASSERT_TRUE(events.receive_until("event: overview"));
    const auto half = page.link();
    half.send("GET / HTTP/1.1\r\nHost:");
    page.process().terminate();
    ASSERT_TRUE(page.process().wait());
    EXPECT_EQ(page.process().exit_code(), 0);
}

TEST_F(admin_live, what_is_refused_at_the_start) {
    EXPECT_EQ(code_of({"--listen", "0.0.0.0:0"}), 64);
    EXPECT_TRUE(printed("give --users-file, --password-file or --token-file"));
    EXPECT_EQ(code_of({"--allow-changes"}), 64);
    EXPECT_EQ(code_of({"--listen", "127.0.0.1:0", "--trust-proxy", "127.0.0.1"}), 64);
    EXPECT_TRUE(printed("--trust-proxy needs a line in --users-file whose SECRET is 'proxy'"));
    EXPECT_EQ(code_of({"--listen", "localhost:1"}), 64);
    EXPECT_TRUE(printed("expected a numeric address"));
    const auto file = secret("open", k_password);
    ::chmod(file.c_str(), 0644);
    EXPECT_EQ(code_of({"--listen", "127.0.0.1:0", "--password-file", file}), 64);
    EXPECT_TRUE(printed("chmod 600"));
    EXPECT_EQ(code_of({"--tls-cert", file}), 64);
    EXPECT_EQ(code_of({"--listen", "127.0.0.1:0", "--tls-cert", file, "--tls-key", file}), 64);
    EXPECT_EQ(code_of({"--refresh", "1ms"}), 64);
    EXPECT_EQ(code_of({"--max-requests", "0"}), 64);
}

TEST_F(admin_live, a_port_that_is_taken) {
    const auto page = start();
    EXPECT_EQ(code_of({"--listen", page.name()}), 64);
    EXPECT_TRUE(printed("cannot listen at this address"));
}

TEST_F(admin_live, hostile_bytes_of_any_kind) {
    const auto page = start_with_secrets();
    hostile_bytes bytes{page.name()};
    std::size_t answered = 0;
    for (std::uint32_t i = 0; i != 2'000; ++i) {
        const http_link to{page.port(), 2 + i % 200};
        to.send(bytes.next());
        to.finish();
        answered += to.whole_answer().status != 0 ? 1U : 0U;
    }
    EXPECT_GT(answered, 200U);
    EXPECT_TRUE(eventually([&] { return page.ask("/api/v1/me").status == 200; }));
}

}  // namespace
}  // namespace turnstile::tests
