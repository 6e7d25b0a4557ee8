// SPDX-License-Identifier: Apache-2.0
// What the admin page makes of a request before it answers: addresses, names, origins, parameters, rates.
#include <gtest/gtest.h>

#include "admin/http/listen_address.hpp"
#include "admin/http/origin_rule.hpp"
#include "admin/http/query.hpp"
#include "admin/http/rate_limit.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

using namespace std::chrono_literals;

TEST(admin_listen_address, forms) {
    EXPECT_EQ(parse_listen_address("127.0.0.1:8088"), (listen_address{"127.0.0.1", 8088}));
    EXPECT_EQ(parse_listen_address("[::1]:0"), (listen_address{"::1", 0}));
    EXPECT_EQ(to_string(listen_address{"::1", 80}), "[::1]:80");
    for (const auto* wrong : {"", "8088", "localhost:1", "127.0.0.1:", "127.0.0.1:65536",
                              "127.0.0.1:1x", "::1:80", "[127.0.0.1]:1", "127.1:80"})
        EXPECT_THROW(static_cast<void>(parse_listen_address(wrong)), std::runtime_error) << wrong;
}

TEST(admin_listen_address, loopback) {
    EXPECT_TRUE(is_loopback({"127.0.0.1", 1}));
    EXPECT_TRUE(is_loopback({"127.9.9.9", 1}));
    EXPECT_TRUE(is_loopback({"::1", 1}));
    EXPECT_FALSE(is_loopback({"0.0.0.0", 1}));
    EXPECT_FALSE(is_loopback({"::", 1}));
    EXPECT_FALSE(is_loopback({"128.0.0.1", 1}));
}

TEST(admin_origin_rule, names_of_loopback) {
    const origin_rule rule{{"127.0.0.1", 8088}, {"Locks.Example.org"}};
    for (const auto* known : {"127.0.0.1:8088", "localhost:8088", "LOCALHOST:8088", "[::1]:8088",
                              "locks.example.org", "locks.example.org:443"})
        EXPECT_TRUE(rule.knows_host(known)) << known;
    for (const auto* other : {"", "localhost", "localhost:8089", "evil.example.org:8088",
                              "127.0.0.1:8088.evil.org", "xlocks.example.org", "127.0.0.2:8088"})
        EXPECT_FALSE(rule.knows_host(other)) << other;
}

TEST(admin_origin_rule, names_elsewhere) {
    const origin_rule rule{{"192.0.2.7", 80}, {}};
    EXPECT_TRUE(rule.knows_host("192.0.2.7:80"));
    EXPECT_FALSE(rule.knows_host("localhost:80"));
    EXPECT_FALSE(origin_rule({"0.0.0.0", 80}, {}).knows_host("192.0.2.7:80"));
}

TEST(admin_origin_rule, pages_of_other_sites) {
    const origin_rule rule{{"127.0.0.1", 8088}, {}};
    const std::string host = "localhost:8088";
    EXPECT_TRUE(rule.is_own_page("", host, ""));
    EXPECT_TRUE(rule.is_own_page("http://localhost:8088", host, "same-origin"));
    EXPECT_FALSE(rule.is_own_page("http://localhost:8089", host, ""));
    EXPECT_FALSE(rule.is_own_page("null", host, ""));
    EXPECT_FALSE(rule.is_own_page("https://evil.example.org", host, ""));
    EXPECT_FALSE(rule.is_own_page("http://localhost:8088", host, "cross-site"));
    EXPECT_FALSE(rule.is_own_page("", host, "same-site"));
}

int status_of(const std::string& target, const std::vector<std::string>& known = {"a", "b"}) {
    try {
        const query asked{target, known};
        static_cast<void>(asked.number("b", 5, {.least = 1, .most = 9}));
        static_cast<void>(asked.required("a"));
    } catch (const refusal& why) {
        return why.status();
    }
    return 200;
}

TEST(admin_query, values) {
    const query asked{"/x?a=%2Flocks%2Fa+b&b=7&", {"a", "b", "c"}};
    EXPECT_EQ(asked.required("a"), "/locks/a b");
    EXPECT_EQ(asked.number("b", 5, {.least = 1, .most = 9}), 7U);
    EXPECT_EQ(asked.number("c", 5, {.least = 1, .most = 9}), 5U);
    EXPECT_FALSE(asked.text("c"));
    EXPECT_EQ(path_of("/x?a=1"), "/x");
    EXPECT_EQ(path_of("/x"), "/x");
}

TEST(admin_query, refusals) {
    EXPECT_EQ(status_of("/x?a=1&b=9"), 200);
    for (const auto* wrong :
         {"/x", "/x?a=", "/x?a=1&a=2", "/x?a=1&c=2", "/x?a=%", "/x?a=%2", "/x?a=%zz", "/x?a=1&b=0",
          "/x?a=1&b=10", "/x?a=1&b=-1", "/x?a=1&b=1x", "/x?a=1&b=", "/x?a=1&b=99999999999999999999",
          "/x?a=1&%61=2", "/x?a=1&=2"})
        EXPECT_EQ(status_of(wrong), 400) << wrong;
}

TEST(admin_rate_limit, each_key_has_its_own) {
    rate_limit rule{{.per_second = 2, .at_once = 3}};
    const boottime_clock::time_point start{1h};
    for (int i = 0; i != 3; ++i) EXPECT_TRUE(rule.take("a", start));
    EXPECT_FALSE(rule.take("a", start));
    EXPECT_FALSE(rule.allows("a", start + 499ms));
    EXPECT_TRUE(rule.take("b", start));
    EXPECT_TRUE(rule.take("a", start + 500ms));
    EXPECT_FALSE(rule.take("a", start + 500ms));
    int taken = 0;
    while (rule.take("a", start + 1h)) ++taken;
    EXPECT_EQ(taken, 3);
}

TEST(admin_rate_limit, many_keys_share_a_bucket) {
    rate_limit rule{{.per_second = 1, .at_once = 1, .most_keys = 2}};
    const boottime_clock::time_point start{1h};
    EXPECT_TRUE(rule.take("a", start));
    EXPECT_TRUE(rule.take("b", start));
    EXPECT_TRUE(rule.take("c", start));
    EXPECT_FALSE(rule.take("d", start));
    EXPECT_TRUE(rule.take("d", start + 1s));  // those that are full again make room
}

}  // namespace
}  // namespace turnstile::admin
