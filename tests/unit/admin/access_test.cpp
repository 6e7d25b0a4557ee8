// SPDX-License-Identifier: Apache-2.0
// Which requests the admin page lets in: secrets, sign-ins, the gate; and what it writes down.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "admin/access/audit_log.hpp"
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
    EXPECT_TRUE(known.is_authorization("Bearer 0123456789abcdef"));
    for (const auto* wrong :
         {"", "Bearer ", "0123456789abcdef", "Bearer correct horse", "Basic 0123456789abcdef"})
        EXPECT_FALSE(known.is_authorization(wrong)) << wrong;
    EXPECT_FALSE(secrets{}.is_password(""));
    EXPECT_FALSE(secrets{}.is_authorization("Bearer "));
    EXPECT_NE(random_secret(), random_secret());
    EXPECT_EQ(random_secret().size(), 64U);
}

TEST(admin_sign_ins, last_for_twelve_hours) {
    sign_ins records;
    const boottime_clock::time_point start{1h};
    const auto ticket = records.begin(start);
    ASSERT_TRUE(records.find(ticket.id, start + 11h));
    EXPECT_EQ(records.find(ticket.id, start)->csrf, ticket.csrf);
    EXPECT_FALSE(records.find(ticket.id, start + 12h));
    EXPECT_FALSE(records.find(ticket.csrf, start));
    EXPECT_FALSE(records.find("", start));
    records.end(ticket.id);
    EXPECT_FALSE(records.find(ticket.id, start));
}

TEST(admin_sign_ins, the_oldest_makes_room) {
    sign_ins records;
    const boottime_clock::time_point start{1h};
    const auto first = records.begin(start);
    const auto second = records.begin(start + 1s);
    for (int i = 0; i != 999; ++i) static_cast<void>(records.begin(start + 2s));
    EXPECT_FALSE(records.find(first.id, start + 2s));
    EXPECT_TRUE(records.find(second.id, start + 2s));
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
    // The status that a request is refused with; 200 if it is not.
    int status() const {
        try {
            gate::check(facts);
        } catch (const refusal& why) {
            return why.status();
        }
        return 200;
    }
    int change_status(const identity& caller) const {
        try {
            gate::check_change(facts, caller);
        } catch (const refusal& why) {
            return why.status();
        }
        return 200;
    }
    gate entrance{false};
    request_facts facts{
        .method = "GET", .target = "/", .address = "127.0.0.1", .host = "localhost:8088"};
};

TEST_F(admin_gate, what_is_let_in) {
    EXPECT_EQ(status(), 200);
    facts.method = "POST";
    EXPECT_EQ(status(), 415);
    facts.content_type = "application/json; charset=utf-8";
    EXPECT_EQ(status(), 200);
}

TEST_F(admin_gate, a_page_of_another_site) {
    facts.method = "POST";
    facts.content_type = "application/json";
    facts.origin = "http://evil.example.org";
    EXPECT_EQ(status(), 403);
    facts.origin = "http://localhost:8088";
    EXPECT_EQ(status(), 200);
    facts.fetch_site = "cross-site";
    EXPECT_EQ(status(), 403);
}

TEST_F(admin_gate, sign_ins_that_fail) {
    const auto allowed = [&](const std::string& address) {
        try {
            entrance.check_sign_in(address);
            return true;
        } catch (const refusal&) {
            return false;
        }
    };
    for (int i = 0; i != 5; ++i) {
        EXPECT_TRUE(allowed("127.0.0.1"));
        entrance.count_failed_sign_in("127.0.0.1");
    }
    EXPECT_FALSE(allowed("127.0.0.1"));
    EXPECT_TRUE(allowed("127.0.0.2"));
    for (int i = 0; i != 60; ++i) entrance.count_failed_sign_in("10.0.0." + std::to_string(i));
    EXPECT_FALSE(allowed("127.0.0.2"));
}

TEST_F(admin_gate, a_change_carries_the_token_of_its_sign_in) {
    sign_ins records;
    const secrets known{"correct horse", "0123456789abcdef"};
    const auto ticket = records.begin(boottime_clock::now());
    facts.cookie = "turnstile=" + ticket.id;
    auto caller = entrance.identify(facts, known, records);
    EXPECT_TRUE(caller.signed_in());
    EXPECT_EQ(change_status(caller), 403);
    facts.csrf = records.begin(boottime_clock::now()).csrf;
    EXPECT_EQ(change_status(caller), 403);
    facts.csrf = ticket.csrf;
    EXPECT_EQ(change_status(caller), 200);
    facts = {.authorization = "Bearer 0123456789abcdef"};
    EXPECT_EQ(change_status(entrance.identify(facts, known, records)), 200);
    facts = {};
    caller = entrance.identify(facts, known, records);
    EXPECT_FALSE(caller.signed_in());
    EXPECT_EQ(change_status(caller), 403);
}

TEST_F(admin_gate, cookies) {
    const auto plain = entrance.cookie_header("x");
    EXPECT_EQ(plain, "turnstile=x; Path=/; HttpOnly; SameSite=Strict");
    const gate encrypted{true};
    EXPECT_EQ(encrypted.cookie_header("x"),
              "__Host-turnstile=x; Path=/; HttpOnly; SameSite=Strict; Secure");
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
}

audit_entry entry(const std::string& by, const std::string& outcome = "begun") {
    return {.time = std::chrono::system_clock::now(),
            .action = "take",
            .path = "/locks/a",
            .kind = "mutex",
            .znode = "z",
            .by = by,
            .why = "\"\n\xff",
            .from = "127.0.0.1",
            .outcome = outcome};
}

TEST_F(admin_files, the_audit_log_is_read_back) {
    const auto name = (folder.path() / "audit").string();
    {
        audit_log log{name};
        const auto first = log.add(entry("ann"));
        log.conclude(first, "deleted", "");
        log.add(entry("bob"));
    }
    std::ofstream{name, std::ios::app} << "{\"time\": \"2026-11-2";  // cut short by a crash
    const audit_log log{name};
    const auto page = log.read(0, 10);
    ASSERT_EQ(page.entries.size(), 2U);
    EXPECT_EQ(page.entries[0].by, "bob");
    EXPECT_EQ(page.entries[0].outcome, "begun");
    EXPECT_EQ(page.entries[1].by, "ann");
    EXPECT_EQ(page.entries[1].outcome, "deleted");
    EXPECT_EQ(page.entries[1].why, "\"\n\xEF\xBF\xBD");
    EXPECT_EQ(log.read(1, 1).entries.front().by, "ann");
}

TEST_F(admin_files, a_line_that_had_no_room_takes_no_other_along) {
    const auto name = (folder.path() / "audit").string();
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto disposition = ::signal(SIGXFSZ, SIG_IGN);
    {
        audit_log log{name};
        log.add(entry("ann"));
        const rlimit full{std::filesystem::file_size(name) + 10, before.rlim_max};
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
        EXPECT_THROW(log.add(entry("bob")), std::runtime_error);
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
        log.add(entry("cid"));
    }
    ::signal(SIGXFSZ, disposition);
    const audit_log log{name};
    const auto page = log.read(0, 10);
    ASSERT_EQ(page.entries.size(), 2U);
    EXPECT_EQ(page.entries[0].by, "cid");
}

TEST_F(admin_files, the_audit_log_keeps_the_newest) {
    audit_log log{""};
    for (int i = 0; i != 1'100; ++i) log.add(entry(std::to_string(i)));
    EXPECT_EQ(log.read(0, 1).total, 1'000U);
    EXPECT_EQ(log.read(0, 1).entries.front().by, "1099");
    EXPECT_EQ(log.read(999, 5).entries.back().by, "100");
}

TEST(admin_audit_log, a_full_disk_is_told) {
    audit_log log{"/dev/full"};
    EXPECT_THROW(log.add(entry("ann")), std::runtime_error);
    EXPECT_THROW(audit_log{"/nowhere/at/all"}, std::runtime_error);
}

}  // namespace
}  // namespace turnstile::admin
