// SPDX-License-Identifier: Apache-2.0
// `turnstile serve` with --allow-changes on a real server: sign-in, ask, take, the old holder that is told, the record.
#include "admin_fixture.hpp"
#include "json_schema.hpp"

namespace turnstile::tests {
namespace {

class admin_change : public admin {
protected:
    [[nodiscard]] std::string order(const std::string& znode, const json& more = {}) const {
        json body{{"path", path},
                  {"kind", "mutex"},
                  {"znode", znode},
                  {"who", "ops"},
                  {"why", "the reason"}};
        if (more.is_object()) body.update(more);
        return body.dump();
    }
    [[nodiscard]] std::string znode_of(const guard& hold) const {
        return hold.znode().substr(path.size() + 1);
    }
    static std::string session_of(const http_answer& answer) {
        const auto cookie = answer.header("Set-Cookie");
        return cookie.substr(0, cookie.find(';'));
    }
    mutex lock{*observer, path};
};

TEST_F(admin_change, a_browser_signs_in_and_out) {
    const auto page = start_with_secrets();
    EXPECT_EQ(page.ask("/").status, 200);
    EXPECT_EQ(page.ask("/api/v1/me").value()["signed_in"], false);
    for (const auto* target : {"/api/v1/overview", "/api/v1/lock?path=/a", "/api/v1/events",
                               "/api/v1/audit", "/metrics"}) {
        const auto answer = page.ask(target);
        EXPECT_EQ(answer.status, 401) << target;
        EXPECT_EQ(answer.code(), "sign_in") << target;
    }
    const auto wrong = page.ask("/api/v1/sign-in", {.body = R"({"password": "wrong one"})"});
    EXPECT_EQ(wrong.status, 401);
    EXPECT_EQ(wrong.header("Set-Cookie"), "");
    const auto right = page.ask("/api/v1/sign-in", {.body = R"({"password": "correct horse"})"});
    ASSERT_EQ(right.status, 204);
    EXPECT_NE(right.header("Set-Cookie").find("; HttpOnly; SameSite=Strict"), std::string::npos);
    const auto cookie = "Cookie: " + session_of(right) + "\r\n";
    const auto me = page.ask("/api/v1/me", {.headers = cookie}).value();
    EXPECT_EQ(me["signed_in"], true);
    EXPECT_TRUE(shows(
        page, "/api/v1/overview", [](const json&) { return true; }, cookie));
    EXPECT_EQ(page.ask("/api/v1/audit", {.headers = cookie}).value()["entries"][0]["action"],
              "sign_in_failed");

    const auto forged = page.ask("/api/v1/ask", {.headers = cookie, .body = order("x")});
    EXPECT_EQ(forged.status, 403);
    EXPECT_EQ(forged.code(), "csrf");
    EXPECT_EQ(page.ask("/api/v1/sign-out", {.headers = cookie, .body = "{}"}).status, 403);
    const auto csrf = cookie + "X-Turnstile-CSRF: " + me["csrf"].get<std::string>() + "\r\n";
    EXPECT_EQ(page.ask("/api/v1/sign-out", {.headers = csrf, .body = "{}"}).status, 204);
    EXPECT_EQ(page.ask("/api/v1/overview", {.headers = cookie}).status, 401);
}

TEST_F(admin_change, sign_ins_are_limited) {
    const auto page = start_with_secrets();
    for (int i = 0; i != 5; ++i)
        EXPECT_EQ(page.ask("/api/v1/sign-in", {.body = R"({"password": "wrong one"})"}).status,
                  401);
    EXPECT_EQ(page.ask("/api/v1/sign-in", {.body = R"({"password": "correct horse"})"}).status,
              429);
}

TEST_F(admin_change, a_holder_is_asked) {
    testing::event asked;
    release_request heard;
    const auto hold = lock.acquire({.timeout = limit(),
                                    .on_asked_to_release =
                                        [&](const auto& request) {
                                            heard = request;
                                            asked.set();
                                        }})
                          .value();
    const auto page = start_with_secrets();
    const auto answer =
        page.ask("/api/v1/ask", {.headers = bearer(), .body = order(znode_of(hold))});
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.value()["outcome"], "asked");
    const json_schema schema{page.ask("/api/v1/openapi.json").value()};
    EXPECT_EQ(schema.misfit("/api/v1/ask", "post", 200, answer.value()), "");
    ASSERT_TRUE(asked.wait());
    EXPECT_EQ(heard.who, "ops");
    EXPECT_EQ(heard.why, "the reason");
    EXPECT_TRUE(hold.valid());
    observer->close();
}

TEST_F(admin_change, a_holder_that_gives_way) {
    testing::event asked;
    auto hold =
        lock.acquire({.timeout = limit(), .on_asked_to_release = [&](const auto&) { asked.set(); }})
            .value();
    const auto page = start_with_secrets();
    const auto to = page.link();
    to.send(page.request(
        "/api/v1/take", {.headers = bearer(),
                         .body = order(znode_of(hold), {{"confirm", path}, {"wait_ms", 60'000}})}));
    ASSERT_TRUE(asked.wait());
    ASSERT_TRUE(hold.release());
    const auto answer = to.whole_answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.value()["outcome"], "gave_way");
    observer->close();
}

TEST_F(admin_change, a_holder_that_does_not_go_is_told) {
    testing::event lost;
    error why{errc::timeout};
    const auto hold = lock.acquire({.timeout = limit(),
                                    .on_lost =
                                        [&](const error& reason) {
                                            why = reason;
                                            lost.set();
                                        }})
                          .value();
    const auto audit = (folder.path() / "audit").string();
    const auto page = start_with_secrets({"--audit-log", audit});
    ASSERT_TRUE(shows(
        page, "/api/v1/lock?path=" + path,
        [](const json& seen) { return !seen["lock"]["holders"].empty(); }, bearer()));
    const auto answer = page.ask(
        "/api/v1/take",
        {.headers = bearer(), .body = order(znode_of(hold), {{"confirm", path}, {"wait_ms", 0}})});
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.value()["outcome"], "gave_way") << answer.body;  // it saw the order
    ASSERT_TRUE(lost.wait());
    EXPECT_EQ(why.code(), errc::revoked);
    EXPECT_NE(why.message().find("ops"), std::string::npos);
    EXPECT_FALSE(hold.valid());
    EXPECT_TRUE(shows(
        page, "/api/v1/lock?path=" + path,
        [](const json& seen) { return seen["timeline"]["spans"][0]["end"] == "taken"; }, bearer()));
    const auto entries = page.ask("/api/v1/audit", {.headers = bearer()}).value()["entries"];
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0]["outcome"], "gave_way");
    EXPECT_EQ(entries[0]["who"], "ops");
    EXPECT_EQ(entries[0]["znode"], znode_of(hold));
    std::ifstream lines{audit};
    std::string first;
    std::string second;
    std::getline(lines, first);
    std::getline(lines, second);
    EXPECT_EQ(json::parse(first)["outcome"], "begun");
    EXPECT_EQ(json::parse(second)["outcome"], "gave_way");
    observer->close();
}

TEST_F(admin_change, only_the_contender_that_was_seen) {
    auto before = lock.acquire({.timeout = limit()}).value();
    const auto old = znode_of(before);
    ASSERT_TRUE(before.release());
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const auto page = start_with_secrets();
    for (const auto* target : {"/api/v1/ask", "/api/v1/take"}) {
        const auto more = std::string{target}.ends_with("take") ? json{{"confirm", path}} : json{};
        const auto answer = page.ask(target, {.headers = bearer(), .body = order(old, more)});
        EXPECT_EQ(answer.status, 409) << answer.body;
        EXPECT_EQ(answer.code(), "gone");
    }
    EXPECT_TRUE(hold.valid());
}

TEST_F(admin_change, a_path_that_is_none_is_refused_before_anything_is_recorded) {
    const auto page = start_with_secrets();
    for (const auto* target : {"/api/v1/ask", "/api/v1/take"}) {
        for (const auto* wrong : {"locks/a", "/", "/a/", "/a//b", "/../b"}) {
            const auto answer =
                page.ask(target, {.headers = bearer(),
                                  .body = order("x", json{{"path", wrong}, {"confirm", wrong}})});
            EXPECT_EQ(answer.status, 400) << target << ' ' << wrong << ' ' << answer.body;
        }
    }
    EXPECT_EQ(page.ask("/api/v1/audit", {.headers = bearer()}).value()["total"], 0);
}

// The name alone would do for another library's contender that came later.
TEST_F(admin_change, only_the_token_that_was_seen) {
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const fencing_token before{hold.fencing_token().zxid() - 1};
    const auto page = start_with_secrets();
    const json other{{"token", before.to_string()}};
    for (const auto* target : {"/api/v1/ask", "/api/v1/take"}) {
        auto more = other;
        if (std::string{target}.ends_with("take")) more["confirm"] = path;
        const auto answer =
            page.ask(target, {.headers = bearer(), .body = order(znode_of(hold), more)});
        EXPECT_EQ(answer.status, 409) << answer.body;
        EXPECT_EQ(answer.code(), "gone");
    }
    EXPECT_TRUE(hold.valid());
    const json same{{"token", hold.fencing_token().to_string()}};
    const auto asked =
        page.ask("/api/v1/ask", {.headers = bearer(), .body = order(znode_of(hold), same)});
    EXPECT_EQ(asked.status, 200) << asked.body;
}

TEST_F(admin_change, orders_that_are_not_whole) {
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const auto page = start_with_secrets();
    const auto znode = znode_of(hold);
    for (const auto& body :
         {order(znode), order(znode, {{"confirm", "/other"}}), order(znode, {{"who", ""}}),
          order(znode, {{"confirm", path}, {"wait_ms", -1}}),
          order(znode, {{"confirm", path}, {"wait_ms", "1"}}),
          order(znode, {{"confirm", path}, {"token", 1}}),
          order(znode, {{"confirm", path}, {"more", 1}}), order(znode, {{"kind", "lock"}}),
          order(znode, {{"confirm", path}, {"why", std::string(2'000, 'x')}}), std::string{"[]"},
          std::string{"{"}, std::string{}}) {
        const auto answer = page.ask("/api/v1/take", {.headers = bearer(), .body = body});
        EXPECT_EQ(answer.status, 400) << body << answer.body;
    }
    EXPECT_TRUE(hold.valid());
}

TEST_F(admin_change, nothing_is_done_that_cannot_be_written_down) {
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const auto page = start_with_secrets({"--audit-log", "/dev/full"});
    const auto answer = page.ask(
        "/api/v1/take", {.headers = bearer(), .body = order(znode_of(hold), {{"confirm", path}})});
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.code(), "audit");
    EXPECT_TRUE(hold.valid());
}

}  // namespace
}  // namespace turnstile::tests
