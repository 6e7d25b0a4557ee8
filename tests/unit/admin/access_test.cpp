// SPDX-License-Identifier: Apache-2.0
// Tests which requests the admin page accepts: secrets, sign-ins, and the checks before all requests.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>

#include "admin/access/gate.hpp"
#include "admin/http/refusal.hpp"
#include "admin/server.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::admin {
namespace {

using namespace std::chrono_literals;

class admin_files : public ::testing::Test {
protected:
    std::string file_with(const std::string& text, mode_t mode = 0600) const {
        const auto name = (folder.path() / "file").string();
        std::ofstream{name} << text;
        ::chmod(name.c_str(), mode);
        return name;
    }
    const testing::temporary_folder folder;
};

TEST_F(admin_files, a_secret_is_the_first_line) {
    EXPECT_EQ(read_secret_file(file_with("correct horse\nsecond\n"), 8), "correct horse");
    EXPECT_EQ(read_secret_file(file_with("correct horse\r\n"), 8), "correct horse");
}

TEST_F(admin_files, a_secret_is_long_and_private) {
    EXPECT_THROW(static_cast<void>(read_secret_file(file_with("short\n"), 8)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(read_secret_file(file_with(""), 1)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(read_secret_file(file_with("correct horse", 0640), 8)),
                 std::runtime_error);
    EXPECT_THROW(static_cast<void>(read_secret_file(file_with("correct horse", 0604), 8)),
                 std::runtime_error);
    EXPECT_THROW(static_cast<void>(read_secret_file("/nowhere/at/all", 8)), std::runtime_error);
}

TEST(admin_secrets, comparisons) {
    const secrets known{"correct horse", "0123456789abcdef"};
    EXPECT_TRUE(known.is_password("correct horse"));
    for (const auto* wrong : {"", "correct hors", "correct horse ", "0123456789abcdef"})
        EXPECT_FALSE(known.is_password(wrong)) << wrong;
    EXPECT_TRUE(known.is_token("0123456789abcdef"));
    for (const auto* wrong : {"", "correct horse", "0123456789abcde"})
        EXPECT_FALSE(known.is_token(wrong)) << wrong;
    EXPECT_FALSE(secrets{}.is_password(""));
    EXPECT_FALSE(secrets{}.is_token(""));
    EXPECT_NE(random_secret(), random_secret());
    EXPECT_EQ(random_secret().size(), 64U);
}

const user k_ada{"ada", role::ask};

TEST(admin_sign_ins, last_for_twelve_hours) {
    sign_ins records;
    const boottime_clock::time_point start{1h};
    const auto ticket = records.begin(k_ada, false, start);
    ASSERT_TRUE(records.find(ticket.id, start + 11h));
    EXPECT_EQ(records.find(ticket.id, start)->csrf, ticket.csrf);
    EXPECT_EQ(records.find(ticket.id, start)->person.name, "ada");
    EXPECT_EQ(records.find(ticket.id, start)->person.may, role::ask);
    EXPECT_FALSE(records.find(ticket.id, start + 12h));
    EXPECT_FALSE(records.find(ticket.csrf, start));
    EXPECT_FALSE(records.find("", start));
    records.end(ticket.id);
    EXPECT_FALSE(records.find(ticket.id, start));
}

TEST(admin_sign_ins, the_oldest_makes_room) {
    sign_ins records;
    const boottime_clock::time_point start{1h};
    const auto first = records.begin(k_ada, false, start);
    const auto second = records.begin(k_ada, false, start + 1s);
    for (int i = 0; i != 999; ++i) static_cast<void>(records.begin(k_ada, false, start + 2s));
    EXPECT_FALSE(records.find(first.id, start + 2s));
    EXPECT_TRUE(records.find(second.id, start + 2s));
}

TEST(admin_sign_ins, a_browser_is_known_for_thirty_days) {
    sign_ins records;
    const boottime_clock::time_point start{1h};
    const auto id = records.remember_browser(start);
    EXPECT_TRUE(records.knows_browser(id, start + 29 * 24h));
    EXPECT_FALSE(records.knows_browser(id, start + 30 * 24h));
    EXPECT_FALSE(records.knows_browser("", start));
    EXPECT_FALSE(records.find(id, start)) << "it signs nobody in";
}

TEST(admin_sign_ins, cookies) {
    EXPECT_EQ(cookie_of("turnstile=a", "turnstile"), "a");
    EXPECT_EQ(cookie_of("x=1; turnstile=a; y=2", "turnstile"), "a");
    EXPECT_EQ(cookie_of("xturnstile=a; turnstil=b", "turnstile"), "");
    EXPECT_EQ(cookie_of("turnstile", "turnstile"), "");
    EXPECT_EQ(cookie_of("; ;=;", "turnstile"), "");
}

class admin_gate : public ::testing::Test {
protected:
    int status() const {
        try {
            entrance.check(request);
        } catch (const refusal& why) {
            return why.status();
        }
        return 200;
    }
    int change_status(const identity& caller) const {
        try {
            gate::check_change(request, caller);
        } catch (const refusal& why) {
            return why.status();
        }
        return 200;
    }
    void set(const char* name, const std::string& value) {
        std::erase_if(request.headers, [&](const auto& each) { return each.name == name; });
        request.headers.push_back({name, value});
    }
    void set_change(const std::string& host, const std::string& origin) {
        request.method = "POST";
        set("Content-Type", "application/json");
        set("Host", host);
        set("Origin", origin);
    }
    [[nodiscard]] identity caller() { return entrance.identify(request, known, records); }

    const gate entrance{
        false, {"https://locks.example.org", "plain.example.org"}, {{"10.1.0.0/16"}}};
    sign_ins records;
    const secrets known{
        "correct horse", "0123456789abcdef",
        users::parse("ada take proxy\n@oncall ask proxy\n* look proxy\n"
                     "probe look sha256$"
                     "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n",
                     "file")};  // the file's token is "test"
    http_request request{.method = "GET",
                         .target = "/",
                         .headers = {{"Host", "localhost:8088"}},
                         .peer = "127.0.0.1"};
};

TEST_F(admin_gate, what_is_let_in) {
    EXPECT_EQ(status(), 200);
    request.method = "POST";
    EXPECT_EQ(status(), 415);
    set("Content-Type", "application/json; charset=utf-8");
    EXPECT_EQ(status(), 200);
}

TEST_F(admin_gate, a_page_of_another_site) {
    set_change("localhost:8088", "http://evil.example.org");
    EXPECT_EQ(status(), 403);
    set("Origin", "http://localhost:8088");
    EXPECT_EQ(status(), 200);
    set("Sec-Fetch-Site", "cross-site");
    EXPECT_EQ(status(), 403);
}

TEST_F(admin_gate, a_page_of_the_same_name_with_another_scheme) {
    set_change("localhost:8088", "https://localhost:8088");
    EXPECT_EQ(status(), 403);
    request.encrypted = true;
    EXPECT_EQ(status(), 200);
    set("Origin", "http://localhost:8088");
    EXPECT_EQ(status(), 403);
}

TEST_F(admin_gate, a_name_behind_a_proxy_has_the_scheme_that_it_was_given_with) {
    set_change("locks.example.org", "https://locks.example.org");
    EXPECT_EQ(status(), 200);
    set("Origin", "http://locks.example.org");
    EXPECT_EQ(status(), 403);
    set_change("plain.example.org", "http://plain.example.org");
    EXPECT_EQ(status(), 200);
    set("X-Forwarded-Proto", "https");
    EXPECT_EQ(status(), 200) << "it counts from a trusted proxy only";
    request.peer = "10.1.2.3";
    EXPECT_EQ(status(), 403);
    set("Origin", "https://plain.example.org");
    EXPECT_EQ(status(), 200);
}

TEST_F(admin_gate, a_change_carries_the_token_of_its_sign_in) {
    const auto ticket = records.begin(k_ada, false, boottime_clock::now());
    set("Cookie", "turnstile=" + ticket.id);
    EXPECT_EQ(caller().user, "ada");
    EXPECT_EQ(caller().may, role::ask);
    EXPECT_EQ(change_status(caller()), 403);
    set("X-Turnstile-CSRF", records.begin(k_ada, false, boottime_clock::now()).csrf);
    EXPECT_EQ(change_status(caller()), 403);
    set("X-Turnstile-CSRF", ticket.csrf);
    EXPECT_EQ(change_status(caller()), 200);
}

TEST_F(admin_gate, programs_have_tokens) {
    EXPECT_FALSE(caller().known());
    set("Authorization", "Bearer 0123456789abcdef");
    EXPECT_EQ(caller().user, "token");
    EXPECT_EQ(caller().may, role::take);
    EXPECT_TRUE(caller().shared);
    EXPECT_EQ(change_status(caller()), 200);
    set("Authorization", "Bearer test");
    EXPECT_EQ(caller().user, "probe");
    EXPECT_EQ(caller().may, role::look);
    EXPECT_FALSE(caller().shared);
    for (const auto* wrong : {"", "Bearer ", "0123456789abcdef", "Bearer correct horse",
                              "Basic 0123456789abcdef", "Bearer tes"}) {
        set("Authorization", wrong);
        EXPECT_FALSE(caller().known()) << wrong;
    }
}

TEST_F(admin_gate, a_proxy_says_who_it_is_from_its_own_address_only) {
    set("X-Forwarded-User", "ada");
    EXPECT_FALSE(caller().known());
    request.peer = "10.1.2.3";
    EXPECT_EQ(caller().user, "ada");
    EXPECT_EQ(caller().may, role::take);
    EXPECT_EQ(change_status(caller()), 403) << "the browser signs in to the proxy by itself";
    set("X-Turnstile-CSRF", caller().csrf);
    EXPECT_EQ(change_status(caller()), 200);
    set("X-Forwarded-User", "grace");
    EXPECT_EQ(change_status(caller()), 403) << "the token is that of one user";
    EXPECT_EQ(caller().may, role::look);
    set("X-Forwarded-Groups", "staff, oncall");
    EXPECT_EQ(caller().may, role::ask);
    request.headers.push_back({"x-forwarded-user", "ada"});
    EXPECT_THROW(static_cast<void>(caller()), refusal);
}

TEST_F(admin_gate, the_address_behind_a_proxy) {
    set("X-Forwarded-For", "192.0.2.1, 198.51.100.7, 10.1.0.9");
    EXPECT_EQ(entrance.address_of(request), "127.0.0.1");
    request.peer = "10.1.2.3";
    EXPECT_EQ(entrance.address_of(request), "198.51.100.7") << "what the client says is behind it";
    set("X-Forwarded-For", "nonsense");
    EXPECT_EQ(entrance.address_of(request), "10.1.2.3");
}

TEST_F(admin_gate, the_address_in_a_header_that_the_proxy_added) {
    request.peer = "10.1.2.3";
    set("X-Forwarded-For", "192.0.2.1");
    request.headers.push_back({"x-forwarded-for", "198.51.100.7"});
    EXPECT_EQ(entrance.address_of(request), "198.51.100.7") << "the client chose the first header";
}

TEST_F(admin_gate, cookies) {
    EXPECT_EQ(entrance.cookie_header("x"), "turnstile=x; Path=/; HttpOnly; SameSite=Strict");
    const gate encrypted{true, {}, {}};
    EXPECT_EQ(encrypted.cookie_header("x"),
              "__Host-turnstile=x; Path=/; HttpOnly; SameSite=Strict; Secure");
    EXPECT_EQ(encrypted.browser_cookie_header("x"),
              "__Host-turnstile-browser=x; Path=/; HttpOnly; SameSite=Strict; Secure; "
              "Max-Age=2592000");
}

TEST(admin_options, what_is_refused_at_the_start) {
    server_options options;
    EXPECT_NO_THROW(check(options));
    options.allow_changes = true;
    EXPECT_THROW(check(options), std::runtime_error);
    options.token_file = "token";
    EXPECT_NO_THROW(check(options));
    options.tls_certificate_file = "cert";
    EXPECT_THROW(check(options), std::runtime_error);
    options = {};
    options.listen.host = "0.0.0.0";
    EXPECT_THROW(check(options), std::runtime_error);
    options.password_file = "password";
    EXPECT_NO_THROW(check(options));
    options.password_file.clear();
    options.users_file = "users";
    EXPECT_NO_THROW(check(options));
}

}  // namespace
}  // namespace turnstile::admin
