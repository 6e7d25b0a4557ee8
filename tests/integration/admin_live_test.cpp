// SPDX-License-Identifier: Apache-2.0
// `turnstile serve` as it goes on: events, servers that go and come back, its end, bad options, hostile bytes.
#include <random>

#include "admin_fixture.hpp"

namespace turnstile::tests {
namespace {

class admin_live : public admin {
protected:
    static void open_stream(const admin_page& page, const http_link& to,
                            const std::string& target) {
        to.send("GET " + target + " HTTP/1.1\r\nHost: " + page.name() + "\r\n\r\n");
    }
    // The exit code of a server that is not to start.
    int code_of(const words& options) const {
        words command{TURNSTILE_PROGRAM, "serve"};
        command.insert(command.end(), options.begin(), options.end());
        testing::process refused{{.command = command,
                                  .environment = {"TURNSTILE_SERVERS=127.0.0.1:1"},
                                  .output = log()}};
        EXPECT_TRUE(refused.wait());
        return refused.exit_code().value_or(-1);
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
    auto one = page.link();
    open_stream(page, one, "/api/v1/events?path=" + path + "&kind=mutex");
    ASSERT_TRUE(one.receive_until("event: lock\nid: "));
    mutex lock{*observer, path};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    ASSERT_TRUE(one.receive_until("event: lock\nid: "));
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
    EXPECT_TRUE(printed("give --password-file or --token-file"));
    EXPECT_EQ(code_of({"--allow-changes"}), 64);
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
    EXPECT_TRUE(printed("cannot listen there"));
}

// Requests as bytes, from a fixed seed: pieces of good ones, cut, doubled and with bytes that are anything.
class hostile_bytes {
public:
    explicit hostile_bytes(std::string name) : name_{std::move(name)} {}

    std::string next() {
        std::string text = pick(k_methods) + " " + pick(k_targets) + pick(k_versions);
        if (below(8) != 0) text += "Host: " + name_ + "\r\n";
        for (auto more = below(4); more != 0; --more) text += pick(k_headers);
        text += "\r\n" + pick(k_bodies);
        for (auto more = below(4); more != 0; --more) spoil(text);
        return text;
    }

private:
    using list = std::vector<std::string>;
    std::size_t below(std::size_t end) { return chance_() % end; }
    const std::string& pick(const list& from) { return from[below(from.size())]; }
    void spoil(std::string& text) {
        if (text.empty()) return;
        const auto at = below(text.size());
        switch (below(4)) {
            case 0: text[at] = static_cast<char>(below(256)); break;
            case 1: text.erase(at, below(20)); break;
            case 2: text.insert(at, text.substr(at, below(40))); break;
            default: text.resize(at); break;
        }
    }

    static inline const list k_methods{"GET", "POST", "HEAD",    "PUT",
                                       "PRI", "",     "OPTIONS", "GET GET"};
    static inline const list k_targets{"/",
                                       "/api/v1/locks?limit=1&offset=99999999999999999999",
                                       "/api/v1/lock?path=%00%ff&kind=mutex",
                                       "/api/v1/lock?path=/a&kind=mutex&offset=-1",
                                       "/api/v1/locks?prefix=%2",
                                       "/api/v1/events?path=",
                                       "/assets/%2e%2e/%2e%2e/etc/passwd",
                                       "/assets/" + std::string(300, 'a'),
                                       "http://other/",
                                       "*",
                                       "/api/v1/take",
                                       "/api/v1/sign-in",
                                       "/?" + std::string(9'000, '&')};
    static inline const list k_versions{" HTTP/1.1\r\n", " HTTP/1.0\r\n", " HTTP/9.9\r\n", "\r\n",
                                        "\n"};
    static inline const list k_headers{"Content-Length: 5\r\n",
                                       "Content-Length: -1\r\n",
                                       "Content-Length: 99999999999999999999\r\n",
                                       "Transfer-Encoding: chunked\r\n",
                                       "Content-Type: application/json\r\n",
                                       "Content-Type: multipart/form-data; boundary=x\r\n",
                                       "Content-Encoding: gzip\r\n",
                                       "Accept-Encoding: br, gzip\r\n",
                                       "Range: bytes=0-,1-,2-,-1\r\n",
                                       "Expect: 100-continue\r\n",
                                       "Connection: close\r\n",
                                       "Cookie: turnstile=" + std::string(4'000, 'x') + "\r\n",
                                       "Authorization: Bearer \xff\xfe\r\n",
                                       "If-None-Match: *\r\n",
                                       ": \r\n",
                                       "X\r\n"};
    static inline const list k_bodies{"",
                                      "{}",
                                      "{\"password\": 1}",
                                      "5\r\nhello\r\n0\r\n\r\n",
                                      "ffffffffffffffff\r\n",
                                      std::string(5'000, '[')};
    std::mt19937 chance_{20261123};
    std::string name_;
};

TEST_F(admin_live, hostile_bytes_of_any_kind) {
    const auto page = start_with_secrets();
    hostile_bytes bytes{page.name()};
    std::size_t answered = 0;
    for (int i = 0; i != 2'000; ++i) {
        const auto to = page.link();
        to.send(bytes.next());
        to.finish();
        answered += to.whole_answer().status != 0 ? 1U : 0U;
    }
    EXPECT_GT(answered, 200U);
    EXPECT_TRUE(eventually([&] { return page.ask("/api/v1/me").status == 200; }));
}

}  // namespace
}  // namespace turnstile::tests
