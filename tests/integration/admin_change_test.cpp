// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile serve --allow-changes` on a real server: sign-in, the commands `ask` and `take`, the message to the
// holder, and the audit file.
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
    // Sends the page a request to take this hold away. The page waits up to a minute for the holder's release. Returns
    // the page's answer.
    [[nodiscard]] std::string patient_take(const admin_page& page, const guard& hold) const {
        const json more{{"confirm", path}, {"wait_ms", 60'000}};
        return page.request("/api/v1/take",
                            {.headers = bearer(), .body = order(znode_of(hold), more)});
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
    EXPECT_EQ(page.ask("/api/v1/audit?list=sign_ins", {.headers = cookie})
                  .value()["entries"][0]["action"],
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
    for (int i = 0; i != 4; ++i)
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
    to.send(patient_take(page, hold));
    ASSERT_TRUE(asked.wait());
    ASSERT_TRUE(hold.release());
    const auto answer = to.whole_answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.value()["outcome"], "gave_way");
    observer->close();
}

// A take (a command of the page that ends a hold) first requests the release, and waits 5 s for it. Then it orders the
// release, and waits for it up to twice the holder's session timeout.
TEST_F(admin_change, a_take_says_beforehand_how_long_it_may_last) {
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const auto page = start_with_secrets();
    EXPECT_TRUE(shows(
        page, "/api/v1/lock?path=" + path,
        [](const json& seen) {
            const auto& holders = seen.at("lock").at("holders");
            if (holders.empty()) return false;
            const auto claimed =
                std::stoll(holders.at(0).at("session_timeout_ms").get<std::string>());
            const auto longest = holders.at(0).at("take_at_most_ms").get<long long>();
            return longest >= 5'000 + 2 * claimed && longest <= 5'000 + 2 * 60'000;
        },
        bearer()));
    observer->close();
}

// Another client's contender states a session timeout that no server grants. The page must ignore that number.
TEST_F(admin_change, a_take_lasts_no_longer_for_an_impossible_claim) {
    const auto foreign = path + "/_c_11111111-1111-2222-3333-444444444444-lock-0000000000";
    const auto hold = mutex{*observer, path + "-tools"}.acquire({.timeout = limit()}).value();
    const auto page = start_with_secrets();
    for (const std::string claim : {"2147483647", "-1"}) {
        transaction writes;
        if (!read_node(*observer, path)) writes.create(path, "");
        ASSERT_TRUE(hold.commit(writes.create(foreign, "host=evil pid=1 timeout=" + claim)));
        EXPECT_TRUE(shows(
            page, "/api/v1/lock?path=" + path,
            [](const json& seen) {
                const auto& holders = seen.at("lock").at("holders");
                return !holders.empty() && holders.at(0).at("session_timeout_ms") == "" &&
                       holders.at(0).at("take_at_most_ms") <= 5'000 + 2 * 60'000;
            },
            bearer()))
            << claim;
        ASSERT_TRUE(hold.commit(transaction{}.remove(foreign)));
    }
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
    EXPECT_EQ(answer.value()["outcome"], "gave_way") << answer.body;
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

// The request must name the hold by its fencing token, because another library may give a later contender the same
// znode name.
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

// The hash is RFC 7914's example for "pleaseletmein". The hashed tokens are "look-token" and "ask-token".
TEST_F(admin_change, a_role_is_refused_by_the_interface_too) {
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const auto users =
        secret("users",
               "ada take scrypt$16384$8$1$536f6469756d43686c6f72696465$"
               "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\n"
               "looker look "
               "sha256$d8fc184959e813be1333ce8e96ceee0375d4fe96dc66949722a4a0cfa14f4c41\nasker ask "
               "sha256$1b62d2bf8ce600af0872d68f25e3fe6348faaf48eec3edbba564704318ca7912");
    const auto page = start({"--allow-changes", "--users-file", users});
    const auto stranger = page.ask("/api/v1/me").value();
    EXPECT_EQ(stranger["names"], true);
    EXPECT_EQ(stranger["role"], "none");
    for (const auto* hidden : {"version", "servers", "read_only", "user"})
        EXPECT_TRUE(stranger[hidden].is_null()) << hidden;
    const auto take = order(znode_of(hold), {{"confirm", path}, {"who", "looker"}});
    const std::string looker = "Authorization: Bearer look-token\r\n";
    const std::string asker = "Authorization: Bearer ask-token\r\n";
    EXPECT_EQ(page.ask("/api/v1/audit", {.headers = looker}).status, 200);
    for (const auto* target : {"/api/v1/ask", "/api/v1/take", "/api/v1/cancel"}) {
        const auto answer = page.ask(target, {.headers = looker, .body = take});
        EXPECT_EQ(answer.status, 403) << target;
        EXPECT_EQ(answer.code(), "role");
    }
    EXPECT_EQ(page.ask("/api/v1/take", {.headers = asker, .body = take}).code(), "role");
    const auto other = page.ask("/api/v1/ask", {.headers = asker, .body = order(znode_of(hold))});
    EXPECT_EQ(other.status, 400) << "in another name: " << other.body;
    const auto mine = page.ask(
        "/api/v1/ask", {.headers = asker, .body = order(znode_of(hold), {{"who", "asker"}})});
    EXPECT_EQ(mine.status, 200) << mine.body;
    EXPECT_EQ(page.ask("/api/v1/audit", {.headers = asker}).value()["entries"][0]["user"], "asker");
    const auto csv = page.ask("/api/v1/audit.csv?who=asker", {.headers = asker});
    EXPECT_EQ(csv.status, 200);
    EXPECT_NE(csv.body.find("\"asker\",\"asker\",\"the reason\""), std::string::npos) << csv.body;
    const auto wrong =
        page.ask("/api/v1/sign-in", {.body = R"({"user": "ada", "password": "wrong one"})"});
    EXPECT_EQ(wrong.status, 401);
    const auto right =
        page.ask("/api/v1/sign-in", {.body = R"({"user": "ada", "password": "pleaseletmein"})"});
    ASSERT_EQ(right.status, 204);
    const auto me = page.ask("/api/v1/me", {.headers = "Cookie: " + session_of(right) + "\r\n"});
    EXPECT_EQ(me.value()["user"], "ada");
    EXPECT_EQ(me.value()["role"], "take");
    const json_schema schema{page.ask("/api/v1/openapi.json").value()};
    EXPECT_EQ(schema.misfit("/api/v1/me", "get", 200, me.value()), "");
    EXPECT_EQ(schema.misfit("/api/v1/me", "get", 200, stranger), "");
    observer->close();
}

TEST_F(admin_change, an_order_that_is_under_way_is_cancelled) {
    testing::event asked;
    const auto hold =
        lock.acquire({.timeout = limit(), .on_asked_to_release = [&](const auto&) { asked.set(); }})
            .value();
    const auto page = start_with_secrets();
    const auto to = page.link();
    to.send(patient_take(page, hold));
    ASSERT_TRUE(asked.wait());
    json orders;
    ASSERT_TRUE(eventually([&] {
        orders = page.ask("/api/v1/orders", {.headers = bearer()}).value();
        return orders["orders"].size() == 1 && !orders["orders"][0]["at_most_ms"].is_null();
    }));
    const json_schema schema{page.ask("/api/v1/openapi.json").value()};
    EXPECT_EQ(schema.misfit("/api/v1/orders", "get", 200, orders), "");
    EXPECT_EQ(orders["orders"][0]["user"], "token");
    EXPECT_GT(orders["orders"][0]["at_most_ms"], 60'000);
    const json wanted{{"order", orders["orders"][0]["order"]}, {"who", "boss"}};
    EXPECT_EQ(page.ask("/api/v1/cancel", {.headers = bearer(), .body = wanted.dump()}).status, 200);
    const auto answer = to.whole_answer();
    EXPECT_EQ(answer.status, 409) << answer.body;
    EXPECT_EQ(answer.code(), "cancelled");
    EXPECT_TRUE(hold.valid());
    const auto entry = page.ask("/api/v1/audit", {.headers = bearer()}).value()["entries"][0];
    EXPECT_EQ(entry["outcome"], "cancelled");
    EXPECT_NE(entry["message"].get<std::string>().find("boss"), std::string::npos);
    EXPECT_EQ(page.ask("/api/v1/cancel", {.headers = bearer(), .body = wanted.dump()}).status, 404);
    observer->close();
}

}  // namespace
}  // namespace turnstile::tests
