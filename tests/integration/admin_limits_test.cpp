// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile serve` at its limits: connections, event streams, operators' commands in progress, and slow or
// silent clients.
#include <charconv>

#include "admin_fixture.hpp"

namespace turnstile::tests {
namespace {

constexpr std::size_t k_connections_of_address = 128;
constexpr std::size_t k_streams_of_address = 64;
constexpr std::size_t k_orders = 4;

class admin_limits : public admin {
protected:
    static void open_stream(const admin_page& page, const http_link& to) {
        to.send("GET /api/v1/events HTTP/1.1\r\nHost: " + page.name() + "\r\n\r\n");
    }
    static long number(const admin_page& page, const std::string& name) {
        const auto text = page.ask("/metrics").body;
        const auto at = text.find("\n" + name + " ");
        long value = -1;
        if (at == std::string::npos) return value;
        const auto* const begin = text.data() + at + name.size() + 2;
        std::from_chars(begin, text.data() + text.size(), value);
        return value;
    }
};

// When one address has as many connections as it may have, the server closes that address's idle connections. Other
// addresses need not wait.
TEST_F(admin_limits, connections) {
    constexpr std::size_t k_too_many = 8;
    const auto page = start();
    std::vector<http_link> links;
    for (std::size_t i = 0; i != k_connections_of_address + k_too_many; ++i)
        links.push_back(page.link());
    std::size_t dropped = 0;
    EXPECT_TRUE(eventually([&] {
        dropped = 0;
        for (const auto& each : links) dropped += each.is_over() ? 1U : 0U;
        return dropped == k_too_many;
    })) << dropped;
    EXPECT_EQ(page.ask("/api/v1/me").status, 200);
    const http_link other{page.port(), 2};
    other.send(page.request("/api/v1/me"));
    EXPECT_EQ(other.whole_answer().status, 200);
    links.clear();
    EXPECT_TRUE(
        // After the server has noticed that the test closed its connections, only this request's connection is left.
        eventually([&] { return number(page, "turnstile_http_connections") == 1; }));
}

TEST_F(admin_limits, event_streams) {
    const auto page = start();
    std::vector<http_link> links;
    for (std::size_t i = 0; i != k_streams_of_address; ++i) {
        links.push_back(page.link());
        open_stream(page, links.back());
        ASSERT_TRUE(links.back().receive_until("retry: 2000")) << i;
    }
    const auto further = page.link();
    open_stream(page, further);
    // The server refuses the stream. An accepted stream would not end.
    const auto refused = further.receive();
    EXPECT_NE(refused.find(" 429 "), std::string::npos) << refused;
    EXPECT_EQ(number(page, "turnstile_event_streams"), static_cast<long>(k_streams_of_address));
    EXPECT_EQ(page.ask("/api/v1/me").status, 200);  // the page answers every other request
    links.clear();
    EXPECT_TRUE(eventually([&] { return number(page, "turnstile_event_streams") == 0; }));
    auto again = page.link();
    open_stream(page, again);
    EXPECT_TRUE(again.receive_until("retry: 2000"));
}

TEST_F(admin_limits, orders_under_way) {
    mutex lock{*observer, path};
    auto hold = lock.acquire({.timeout = limit()}).value();
    const auto page = start_with_secrets();
    json order{{"path", path}, {"kind", "mutex"}, {"who", "ops"}, {"why", "to see"}};
    order["znode"] = hold.znode().substr(path.size() + 1);
    order["confirm"] = path;
    order["wait_ms"] = 60'000;
    const auto request = page.request("/api/v1/take", {.headers = bearer(), .body = order.dump()});
    std::vector<http_link> links;
    for (std::size_t i = 0; i != k_orders; ++i) {
        links.push_back(page.link());
        links.back().send(request);
    }
    const auto total = [&] {
        return page.ask("/api/v1/audit", {.headers = bearer()}).value()["total"];
    };
    ASSERT_TRUE(eventually([&] { return total() == k_orders; }));
    const auto refused = page.ask_raw(request);
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.code(), "too_many");
    ASSERT_TRUE(hold.release());
    for (const auto& each : links) {
        const auto answer = each.whole_answer();
        EXPECT_TRUE(answer.status == 200 || answer.code() == "gone") << answer.body;
    }
    EXPECT_EQ(total(), k_orders);
    observer->close();
}

TEST_F(admin_limits, a_head_that_is_too_long) {
    const auto page = start();
    const auto answer =
        page.ask("/api/v1/me", {.headers = "X-Long: " + std::string(40'000, 'x') + "\r\n"});
    EXPECT_EQ(answer.status, 431);
    std::string many;  // each of these headers alone exceeds a limit
    for (int i = 0; i != 60; ++i) many += "X: " + std::string(1'000, 'x') + "\r\n";
    EXPECT_EQ(page.ask("/api/v1/me", {.headers = many}).status, 431);
    EXPECT_EQ(page.ask("/api/v1/me").status, 200);
}

// The cases run in parallel, because each lasts until its time limit.
TEST_F(admin_limits, who_is_slow_or_silent_is_sent_away) {
    const auto page = start();
    const auto silent = page.link();
    const auto slow = page.link();
    slow.send("GET / HTTP/1.1\r\nHost: " + page.name() + "\r\nX: ");
    // This client reads no answers. The answers are larger than the buffers of both sockets.
    const auto deaf = page.link();
    std::string many;
    for (int i = 0; i != 190; ++i)
        many += "GET /api/v1/openapi.json HTTP/1.1\r\nHost: " + page.name() + "\r\n\r\n";
    deaf.send(many);
    EXPECT_TRUE(eventually(
        [&] {
            slow.send("x");  // each byte arrives in time, but the whole request does not
            return slow.is_over();
        },
        60s));
    EXPECT_TRUE(eventually([&] { return silent.is_over(); }, 90s));
    EXPECT_TRUE(eventually([&] { return number(page, "turnstile_http_connections") == 1; }, 60s));
}

}  // namespace
}  // namespace turnstile::tests
