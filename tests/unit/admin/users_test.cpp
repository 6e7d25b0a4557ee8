// SPDX-License-Identifier: Apache-2.0
// Tests the admin page's named users: their file, their passwords, and the limit on failed sign-ins.
#include "admin/access/users.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "admin/access/gate.hpp"
#include "admin/access/secret_text.hpp"
#include "admin/access/sign_ins.hpp"
#include "admin/api/orders.hpp"
#include "admin/http/refusal.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::admin {
namespace {

using namespace std::chrono_literals;

// RFC 7914, section 12, has the result of scrypt for "pleaseletmein", salt "SodiumChloride", N = 16384, r = 8, p = 1.
// The constant ends with the first 32 bytes of this result.
constexpr const char* k_of_rfc =
    "scrypt$16384$8$1$536f6469756d43686c6f72696465$"
    "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2";

TEST(admin_password_hash, scrypt) {
    const auto known = password_hash::parse(k_of_rfc);
    ASSERT_TRUE(known);
    EXPECT_TRUE(known->matches("pleaseletmein"));
    EXPECT_FALSE(known->matches("pleaseletmeIn"));
    EXPECT_FALSE(known->matches(""));
    EXPECT_EQ(known->text(), k_of_rfc);
    EXPECT_FALSE(password_hash::of_nobody().matches(""));
}

TEST(admin_password_hash, a_new_one_has_its_own_salt) {
    const auto fresh = password_hash::of("correct horse");
    EXPECT_NE(fresh.text(), password_hash::of("correct horse").text());
    const auto again = password_hash::parse(fresh.text());
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->matches("correct horse"));
}

TEST(admin_password_hash, other_forms) {
    const std::string salt = "536f6469756d43686c6f72696465";
    const std::string key(64, '0');
    EXPECT_TRUE(password_hash::parse("scrypt$16384$8$1$" + salt + "$" + key));
    for (const auto& wrong :
         {std::string{}, std::string{"correct horse"}, "bcrypt$16384$8$1$" + salt + "$" + key,
          "scrypt$16384$8$1$" + salt, "scrypt$16384$8$1$" + salt + "$" + key + "$",
          "scrypt$16383$8$1$" + salt + "$" + key, "scrypt$0$8$1$" + salt + "$" + key,
          "scrypt$1073741824$8$1$" + salt + "$" + key, "scrypt$16384$8192$1$" + salt + "$" + key,
          "scrypt$16384$18446744073709551615$1$" + salt + "$" + key,
          "scrypt$16384$8$0$" + salt + "$" + key, "scrypt$16384$8$99$" + salt + "$" + key,
          "scrypt$16384$8$1$53$" + key, "scrypt$16384$8$1$" + salt + "$00",
          "scrypt$16384$8$1$" + salt + "x$" + key, "scrypt$-1$8$1$" + salt + "$" + key})
        EXPECT_FALSE(password_hash::parse(wrong)) << wrong;
}

TEST(admin_users, a_file) {
    const auto all = users::parse("# people\n\n  ada  take " + std::string{k_of_rfc} +
                                      "  # on call\n"
                                      "probe look sha256$" +
                                      digest_text("a long token") +
                                      "\n"
                                      "grace ask proxy\n@oncall take proxy\n@staff ask proxy\n",
                                  "file");
    EXPECT_TRUE(all.know("ada"));
    const auto ada = all.with_password("ada", "pleaseletmein");
    ASSERT_TRUE(ada);
    EXPECT_EQ(ada->name, "ada");
    EXPECT_EQ(ada->may, role::take);
    EXPECT_FALSE(all.with_password("ada", "other"));
    EXPECT_FALSE(all.with_password("bob", "pleaseletmein"));
    EXPECT_FALSE(all.with_password("grace", ""));
    ASSERT_TRUE(all.with_token("a long token"));
    EXPECT_EQ(all.with_token("a long token")->name, "probe");
    EXPECT_FALSE(all.with_token("another token"));
    EXPECT_EQ(all.from_proxy("grace", "oncall")->may, role::ask) << "the name's own role";
    EXPECT_EQ(all.from_proxy("bob", "staff, oncall")->may, role::take);
    EXPECT_EQ(all.from_proxy("bob", "staff")->may, role::ask);
    EXPECT_FALSE(all.from_proxy("bob", "others"));
    for (const auto* wrong : {"", "@oncall", "*", "a b", "a\n"})
        EXPECT_FALSE(all.from_proxy(wrong, "oncall")) << wrong;
}

TEST(admin_users, lines_that_are_wrong) {
    const std::string hash = k_of_rfc;
    const std::vector<std::string> lines{"",
                                         "# nobody\n",
                                         "ada take",
                                         "ada take " + hash + " more",
                                         "ada all " + hash,
                                         "ada none " + hash,
                                         "ada take correct-horse",
                                         "ada take sha256$abc",
                                         "* take " + hash,
                                         "@oncall take " + hash,
                                         "a/b take " + hash,
                                         "ada take " + hash + "\nada look " + hash,
                                         "ada take proxy\nada look proxy",
                                         std::string(65, 'a') + " take " + hash};
    for (const auto& wrong : lines)
        EXPECT_THROW(static_cast<void>(users::parse(wrong, "file")), std::runtime_error) << wrong;
    try {
        static_cast<void>(users::parse("# one\nada take x\n", "/etc/users"));
    } catch (const std::runtime_error& problem) {
        EXPECT_EQ(std::string{problem.what()}.rfind("/etc/users:2: ada: ", 0), 0U)
            << problem.what();
    }
}

TEST(admin_users, the_file_is_private) {
    const testing::temporary_folder folder;
    const auto name = (folder.path() / "users").string();
    std::ofstream{name} << "ada look proxy\n";
    ::chmod(name.c_str(), 0600);
    EXPECT_TRUE(users::read(name).have_proxied());
    ::chmod(name.c_str(), 0640);
    EXPECT_THROW(static_cast<void>(users::read(name)), std::runtime_error);
}

TEST(admin_addresses, blocks) {
    const address_list list{{"127.0.0.1", "10.0.0.0/8", "fd00::/9", "192.168.1.130/25"}};
    for (const auto* inside :
         {"127.0.0.1", "::ffff:127.0.0.1", "10.255.0.1", "fd00::1", "fd7f::1", "192.168.1.128"})
        EXPECT_TRUE(list.include(inside)) << inside;
    for (const auto* outside :
         {"127.0.0.2", "11.0.0.1", "fd80::1", "::1", "192.168.1.127", "", "name"})
        EXPECT_FALSE(list.include(outside)) << outside;
    EXPECT_FALSE(address_list{}.include("127.0.0.1"));
    for (const auto* wrong : {"", "name", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/-1"})
        EXPECT_THROW(address_list{{wrong}}, std::runtime_error) << wrong;
}

TEST(admin_sign_in_pace, grows_and_is_bounded) {
    sign_in_pace pace;
    const boottime_clock::time_point start{1h};
    for (unsigned i = 0; i != sign_in_pace::k_free_failures; ++i) {
        EXPECT_EQ(pace.wait("a", start), 0ms);
        pace.failed("a", start);
    }
    EXPECT_EQ(pace.wait("a", start), 1s);
    EXPECT_EQ(pace.wait("a", start + 400ms), 600ms);
    EXPECT_EQ(pace.wait("a", start + 1s), 0ms);
    EXPECT_EQ(pace.wait("b", start), 0ms) << "others are not slowed down";
    pace.failed("a", start);
    EXPECT_EQ(pace.wait("a", start), 2s);
    for (int i = 0; i != 1'000; ++i) pace.failed("a", start);
    EXPECT_EQ(pace.wait("a", start), sign_in_pace::k_longest_wait);
    EXPECT_EQ(pace.wait("a", start + sign_in_pace::k_longest_wait), 0ms);
    pace.succeeded("a");
    EXPECT_EQ(pace.wait("a", start), 0ms);
}

TEST(admin_sign_in_pace, failures_are_forgotten) {
    sign_in_pace pace;
    const boottime_clock::time_point start{1h};
    for (int i = 0; i != 10; ++i) pace.failed("a", start);
    pace.failed("a", start + sign_in_pace::k_memory);
    EXPECT_EQ(pace.wait("a", start + sign_in_pace::k_memory), 0ms);
}

TEST(admin_sign_in_pace, many_addresses_take_the_oldest_ones_room) {
    sign_in_pace pace;
    const boottime_clock::time_point start{1h};
    for (int i = 0; i != 5; ++i) pace.failed("old", start);
    for (std::size_t i = 0; i != sign_in_pace::k_most_keys; ++i)
        pace.failed(std::to_string(i), start + 1s);
    EXPECT_EQ(pace.wait("old", start + 1s), 0ms);
}

class admin_door : public ::testing::Test {
protected:
    int status(const sign_in_door::visitor& caller, const std::string& password,
               const std::string& name = {}) {
        try {
            last = door.enter(caller, name, password);
        } catch (const refusal& why) {
            wait = why.retry_after();
            return why.status();
        }
        return 204;
    }
    const secrets known{
        "correct horse", {}, users::parse("ada ask " + std::string{k_of_rfc}, "file")};
    sign_ins records;
    sign_in_door door{known, records};
    sign_ins::ticket last;
    std::chrono::seconds wait{};
};

// Each address has a separate budget of failures. With a common budget, an attacker's wrong sign-ins would lock out
// every user.
TEST_F(admin_door, failures_of_others_keep_nobody_out) {
    for (int i = 2; i != 200; ++i)
        for (int n = 0; n != 5; ++n)
            static_cast<void>(status({"127.0.1." + std::to_string(i), {}}, "wrong"));
    EXPECT_EQ(status({"127.0.0.1", {}}, "correct horse"), 204);
    EXPECT_EQ(last.person.name, "password");
    EXPECT_TRUE(last.shared);
}

TEST_F(admin_door, failures_of_an_address_slow_it_down) {
    for (unsigned i = 0; i != sign_in_pace::k_free_failures; ++i)
        EXPECT_EQ(status({"127.0.0.1", {}}, "wrong"), 401);
    EXPECT_EQ(status({"127.0.0.1", {}}, "correct horse"), 429);
    EXPECT_EQ(wait, 1s);
}

// The server identifies a caller's machine by the /64 prefix of its IPv6 address. The zone of an address ("%1") names
// an interface of the server, and no machine.
TEST_F(admin_door, failures_of_a_machine_slow_down_all_of_its_addresses) {
    for (unsigned i = 0; i != sign_in_pace::k_free_failures; ++i)
        EXPECT_EQ(status({"fe80::1%" + std::to_string(i), {}}, "wrong"), 401);
    EXPECT_EQ(status({"fe80::2", {}}, "correct horse"), 429);
    EXPECT_EQ(status({"fe80:0:0:1::1", {}}, "correct horse"), 204);
}

TEST_F(admin_door, a_browser_that_signed_in_before_is_not_slowed_down_by_its_neighbours) {
    const auto browser = records.remember_browser(boottime_clock::now());
    for (int i = 0; i != 10; ++i) static_cast<void>(status({"127.0.0.1", {}}, "wrong"));
    EXPECT_EQ(status({"127.0.0.1", {}}, "correct horse"), 429);
    EXPECT_EQ(status({"127.0.0.1", "invented"}, "correct horse"), 429);
    EXPECT_EQ(status({"127.0.0.1", browser}, "correct horse"), 204);
    for (unsigned i = 0; i != sign_in_pace::k_free_failures; ++i)
        EXPECT_EQ(status({"127.0.0.1", browser}, "wrong"), 401);
    EXPECT_EQ(status({"127.0.0.1", browser}, "correct horse"), 429) << "it may not guess";
}

TEST_F(admin_door, named_users) {
    EXPECT_EQ(status({"127.0.0.1", {}}, "pleaseletmein", "ada"), 204);
    EXPECT_EQ(last.person.name, "ada");
    EXPECT_EQ(last.person.may, role::ask);
    EXPECT_FALSE(last.shared);
    EXPECT_EQ(status({"127.0.0.1", {}}, "correct horse", "ada"), 401);
    EXPECT_EQ(status({"127.0.0.1", {}}, "correct horse", "password"), 401);
    EXPECT_EQ(status({"127.0.0.1", {}}, "pleaseletmein"), 401);
}

order_facts order_of(const std::string& user) {
    return {.action = "take", .user = user, .lock = {"/a", lock_kind::mutex}, .znode = "z"};
}

TEST(admin_orders, are_listed_and_cancelled) {
    order_register orders;
    std::stop_source end;
    {
        const order_register::entry first{orders, order_of("ada"), end.get_token()};
        order_register::entry second{orders, order_of("bob"), end.get_token()};
        second.set_at_most(5s);
        const auto listed = orders.list();
        ASSERT_EQ(listed.size(), 2U);
        EXPECT_EQ(listed[1].facts.user, "bob");
        EXPECT_EQ(listed[1].facts.at_most, 5s);
        EXPECT_TRUE(orders.cancel(listed[1].number, "ada"));
        EXPECT_TRUE(second.stop().stop_requested());
        EXPECT_EQ(second.cancelled_by(), "ada");
        EXPECT_FALSE(first.stop().stop_requested());
        EXPECT_FALSE(first.cancelled_by());
        EXPECT_FALSE(orders.cancel(99, "ada"));
        end.request_stop();
        EXPECT_TRUE(first.stop().stop_requested()) << "the end of the server";
    }
    EXPECT_TRUE(orders.list().empty());
    EXPECT_FALSE(orders.cancel(1, "ada"));
}

TEST(admin_orders, four_at_a_time) {
    order_register orders;
    const std::stop_source end;
    std::vector<std::unique_ptr<order_register::entry>> all;
    for (int i = 0; i != 4; ++i)
        all.push_back(
            std::make_unique<order_register::entry>(orders, order_of("ada"), end.get_token()));
    EXPECT_THROW((order_register::entry{orders, order_of("bob"), end.get_token()}), refusal);
    all.pop_back();
    EXPECT_NO_THROW((order_register::entry{orders, order_of("bob"), end.get_token()}));
}

}  // namespace
}  // namespace turnstile::admin
