// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile serve` on a real server: its data, which requests it answers, and that each answer matches
// openapi.json.
#include <thread>

#include "admin_fixture.hpp"
#include "json_schema.hpp"

namespace turnstile::tests {
namespace {

class admin_read : public admin {
protected:
    static json document(const admin_page& page) {
        return page.ask("/api/v1/openapi.json").value();
    }
    static void expect_as_documented(const admin_page& page, const std::string& route,
                                     const http_answer& answer) {
        const json_schema schema{document(page)};
        EXPECT_EQ(schema.misfit(route, "get", answer.status, answer.value()), "") << answer.body;
    }
    // Ignores the grant. The guard's destructor releases the hold.
    static void ended(const result<guard>&) {}
};

TEST_F(admin_read, a_lock_and_its_queue) {
    mutex lock{*observer, path};
    auto other = connect(server().connect_string());
    mutex theirs{*other, path};
    auto hold = lock.acquire({.timeout = limit(), .label = "<b>&'\"\xff"}).value();
    std::optional<result<guard>> next;
    theirs.async_acquire({.timeout = limit()}, [&](result<guard> got) { next = std::move(got); });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    const auto page = start();
    ASSERT_TRUE(shows(page, "/api/v1/lock?path=" + path + "&kind=mutex", [](const json& seen) {
        return seen["waiters"]["total"] == 1 && !seen["lock"]["holders"].empty();
    }));
    const auto answer = page.ask("/api/v1/lock?path=" + path);
    expect_as_documented(page, "/api/v1/lock", answer);
    const auto shown = answer.value();
    EXPECT_EQ(shown["lock"]["holders"][0]["znode"], hold.znode().substr(path.size() + 1));
    EXPECT_EQ(shown["lock"]["holders"][0]["label"], "<b>&'\"\xEF\xBF\xBD");
    EXPECT_EQ(shown["lock"]["holders"][0]["token"], hold.fencing_token().to_string());
    EXPECT_EQ(shown["meta"]["stale"], false);

    const auto list = page.ask("/api/v1/locks?prefix=" + path + "&sort=path");
    expect_as_documented(page, "/api/v1/locks", list);
    ASSERT_EQ(list.value()["total"], 1) << list.body;
    EXPECT_EQ(list.value()["locks"][0]["waiters_total"], 1);
    const auto everything = page.ask("/api/v1/overview");
    expect_as_documented(page, "/api/v1/overview", everything);
    EXPECT_EQ(everything.value()["totals"]["contended"], 1);

    ASSERT_TRUE(hold.release());
    ASSERT_TRUE(shows(page, "/api/v1/lock?path=" + path,
                      [](const json& seen) { return seen["timeline"]["spans"].size() == 2; }));
    const auto after = page.ask("/api/v1/lock?path=" + path);
    expect_as_documented(page, "/api/v1/lock", after);
    EXPECT_EQ(after.value()["distributions"]["hold_ms"]["count"], 1);
    observer->close();
    other->close();
}

TEST_F(admin_read, servers_and_graph) {
    const auto page = start();
    ASSERT_TRUE(shows(page, "/api/v1/overview", [](const json& seen) {
        return seen["servers"].size() == 1 && seen["servers"][0]["role"] == "standalone";
    }));
    const auto answer = page.ask("/api/v1/overview");
    expect_as_documented(page, "/api/v1/overview", answer);
    EXPECT_FALSE(answer.value()["servers"][0]["version"].is_null());
    EXPECT_EQ(answer.value()["read_only"], true);
    expect_as_documented(page, "/api/v1/graph", page.ask("/api/v1/graph"));
    expect_as_documented(page, "/api/v1/templates", page.ask("/api/v1/templates"));
    expect_as_documented(page, "/api/v1/audit", page.ask("/api/v1/audit?limit=1"));
    const auto me = page.ask("/api/v1/me");
    expect_as_documented(page, "/api/v1/me", me);
    EXPECT_EQ(me.value()["must_sign_in"], false);
    EXPECT_EQ(me.value()["csrf"], nullptr);
}

TEST_F(admin_read, a_cycle_of_waits) {
    const std::string first = path + "/a";
    const std::string second = path + "/b";
    mutex a{*observer, first};
    mutex b{*observer, second};
    const auto hold_a = a.acquire({.timeout = limit(), .owner = "left"}).value();
    const auto hold_b = b.acquire({.timeout = limit(), .owner = "right"}).value();
    b.async_acquire({.timeout = limit(), .owner = "left"}, ended);
    a.async_acquire({.timeout = limit(), .owner = "right"}, ended);
    const auto page = start();
    EXPECT_TRUE(shows(page, "/api/v1/graph", [](const json& seen) {
        return seen["cycles"].size() == 1 && seen["cycles"][0].size() == 2;
    }));
    expect_as_documented(page, "/api/v1/graph", page.ask("/api/v1/graph"));
    observer->close();
}

TEST_F(admin_read, the_page_and_its_files) {
    const auto page = start();
    for (const auto* address : {"/", "/lock?path=/a&kind=mutex", "/graph", "/audit", "/servers"}) {
        const auto answer = page.ask(address);
        EXPECT_EQ(answer.status, 200) << address;
        EXPECT_EQ(answer.header("Content-Type"), "text/html; charset=utf-8");
        EXPECT_NE(answer.header("Content-Security-Policy").find("default-src 'none'"),
                  std::string::npos);
        EXPECT_EQ(answer.header("Content-Security-Policy").find("unsafe"), std::string::npos);
        EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
        EXPECT_EQ(answer.header("Referrer-Policy"), "no-referrer");
    }
    const auto script = page.ask("/assets/app.js");
    EXPECT_EQ(script.header("Content-Type"), "text/javascript; charset=utf-8");
    EXPECT_EQ(script.header("Cache-Control"), "no-cache");
    const auto tag = script.header("ETag");
    EXPECT_FALSE(tag.empty());
    const auto again = page.ask("/assets/app.js", {.headers = "If-None-Match: " + tag + "\r\n"});
    EXPECT_EQ(again.status, 304);
    EXPECT_TRUE(again.body.empty());
    for (const auto* address : {"/assets/", "/assets/index.html", "/assets/openapi.json",
                                "/assets/../app.js", "/nowhere", "/favicon.ico", "/api/v1/nowhere"})
        EXPECT_EQ(page.ask(address).status, 404) << address;
}

TEST_F(admin_read, wrong_parameters) {
    const auto page = start();
    ASSERT_TRUE(shows(page, "/api/v1/overview", [](const json&) { return true; }));
    for (const auto* target :
         {"/api/v1/overview?x=1", "/api/v1/locks?limit=0", "/api/v1/locks?limit=501",
          "/api/v1/locks?limit=1&limit=2", "/api/v1/locks?sort=age", "/api/v1/locks?kind=lock",
          "/api/v1/locks?prefix=%zz", "/api/v1/lock", "/api/v1/lock?path=/a&kind=x",
          "/api/v1/lock?path=nope", "/api/v1/lock?path=/a/", "/api/v1/lock?path=/",
          "/api/v1/events?path=/a", "/api/v1/events?path=nope&kind=mutex",
          "/api/v1/events?path=&kind=mutex", "/api/v1/events?path=/a&kind=x", "/api/v1/me?x=1",
          "/metrics?x=1"}) {
        const auto answer = page.ask(target);
        EXPECT_EQ(answer.status, 400) << target;
        EXPECT_EQ(answer.code(), "bad_request") << target;
        expect_as_documented(page, "/api/v1/lock", answer);
    }
    const auto free = page.ask("/api/v1/lock?path=/tests/nowhere&kind=mutex");
    EXPECT_EQ(free.status, 404);
    EXPECT_EQ(free.code(), "no_such_lock");
}

TEST_F(admin_read, names_and_pages_that_are_not_its_own) {
    const auto page = start({"--allow-host", "locks.example.org", "--allow-host", "[2001:db8::7]"});
    const auto rebound = page.ask("/api/v1/me", {.host = "evil.example.org"});
    EXPECT_EQ(rebound.status, 421);
    EXPECT_EQ(rebound.code(), "host");
    EXPECT_EQ(page.ask("/", {.host = "evil.example.org:" + std::to_string(page.port())}).status,
              421);
    EXPECT_EQ(page.ask_raw("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").status, 400);
    EXPECT_EQ(page.ask("/api/v1/me", {.host = "locks.example.org"}).status, 200);
    EXPECT_EQ(page.ask("/api/v1/me", {.host = "[2001:db8::7]:8443"}).status, 200);
    const auto foreign = page.ask("/api/v1/sign-in", {.body = "{}", .origin = "http://evil.org"});
    EXPECT_EQ(foreign.status, 403);
    EXPECT_EQ(foreign.code(), "origin");
}

TEST_F(admin_read, other_methods_and_bodies) {
    const auto page = start();
    const auto raw = [&](const std::string& line, const std::string& rest = "\r\n") {
        return page.ask_raw(line + " HTTP/1.1\r\nHost: " + page.name() +
                            "\r\nConnection: close\r\n" + rest);
    };
    EXPECT_EQ(raw("PUT /api/v1/me", "Content-Length: 0\r\n\r\n").status, 405);
    EXPECT_EQ(raw("DELETE /api/v1/lock").status, 405);
    EXPECT_EQ(raw("GET /api/v1/take").status, 405);
    EXPECT_EQ(raw("POST /api/v1/take", "Content-Length: 2\r\n\r\n{}").status, 415);
    EXPECT_EQ(raw("GET /healthz", "Range: bytes=0-0,0-0\r\n\r\n").header("Content-Range"), "");
    EXPECT_EQ(raw("GET /api/v1/me", "Host: " + page.name() + "\r\n\r\n").status, 400);
    const auto head = raw("HEAD /healthz");
    EXPECT_TRUE(head.status == 200 || head.status == 503);
    EXPECT_TRUE(head.body.empty());
    EXPECT_EQ(page.ask("/api/v1/sign-in", {.body = std::string(20'000, ' ')}).status, 413);
    std::string many;
    for (int i = 0; i != 80; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
    EXPECT_EQ(page.ask("/api/v1/me", {.headers = many}).status, 431);
    EXPECT_EQ(page.ask("/" + std::string(5'000, 'x')).status, 414);
}

// A page of another site can make a browser send a request inside the body of another request. The server must not
// answer the inner request.
TEST_F(admin_read, a_body_that_was_not_read_is_no_request) {
    const auto page = start();
    const std::string inner =
        "GET /api/v1/me HTTP/1.1\r\nHost: " + page.name() + "\r\nConnection: close\r\n\r\n";
    const auto length = "Content-Length: " + std::to_string(inner.size()) + "\r\n\r\n";
    const auto host = " HTTP/1.1\r\nHost: " + page.name() + "\r\n";
    for (const auto& head :
         {"POST /api/v1/take" + host + "Content-Type: text/plain\r\n" + length,
          "POST /api/v1/take" + host + "Content-Type: application/json\r\n" + length,
          "GET /api/v1/me" + host + length, "GET /api/v1/me HTTP/7\r\n" + length}) {
        const auto to = page.link();
        to.send(head + inner);
        const auto answer = to.whole_answer();
        EXPECT_GE(answer.status, 400) << head;
        EXPECT_EQ(answer.header("Connection"), "close") << head;
        EXPECT_EQ(answer.body.find("HTTP/1.1 "), std::string::npos) << answer.body;
    }
}

TEST_F(admin_read, read_only_is_the_servers_word) {
    const auto page = start({"--token-file", secret("token", k_token)});
    for (const auto* target : {"/api/v1/ask", "/api/v1/take"}) {
        const auto answer = page.ask(target, {.headers = bearer(), .body = "{}"});
        EXPECT_EQ(answer.status, 403);
        EXPECT_EQ(answer.code(), "read_only");
    }
}

TEST_F(admin_read, metrics_and_health) {
    const auto page = start();
    ASSERT_TRUE(eventually([&] { return page.ask("/healthz").status == 200; }));
    EXPECT_EQ(page.ask("/healthz").body, "ok\n");
    const auto metrics = page.ask("/metrics");
    EXPECT_EQ(metrics.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_NE(metrics.body.find("\nturnstile_snapshot_stale 0\n"), std::string::npos);
    EXPECT_NE(metrics.body.find("# TYPE turnstile_server_requests_total counter\n"),
              std::string::npos);
}

// The page slows an address that sends too many requests, and refuses none of them.
TEST_F(admin_read, many_requests_from_an_address_are_answered_later) {
    constexpr int k_more_than_at_once = 250;
    const auto page = start();
    auto to = page.link();
    std::string many;
    for (int i = 0; i != k_more_than_at_once; ++i)
        many += "GET /api/v1/me HTTP/1.1\r\nHost: " + page.name() + "\r\n\r\n";
    const std::jthread sender{[&] { to.send(many); }};
    for (int i = 0; i != k_more_than_at_once; ++i)
        ASSERT_TRUE(to.receive_until("HTTP/1.1 200 ")) << i;
}

}  // namespace
}  // namespace turnstile::tests
