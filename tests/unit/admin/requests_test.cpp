// SPDX-License-Identifier: Apache-2.0
// Tests the checks of a request before its answer: address, host name, origin, parameters and rate.
#include <gtest/gtest.h>

#include "admin/http/entrance.hpp"
#include "admin/http/listen_address.hpp"
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

TEST(admin_host_names, of_loopback) {
    const host_names names{{"Locks.Example.org"}};
    const listen_address here{"127.0.0.1", 8088};
    for (const auto* known : {"127.0.0.1:8088", "localhost:8088", "LOCALHOST:8088", "[::1]:8088",
                              "locks.example.org", "locks.example.org:443"})
        EXPECT_TRUE(names.include(known, here)) << known;
    for (const auto* other : {"", "localhost", "localhost:8089", "evil.example.org:8088",
                              "127.0.0.1:8088.evil.org", "xlocks.example.org", "127.0.0.2:8088"})
        EXPECT_FALSE(names.include(other, here)) << other;
}

TEST(admin_host_names, elsewhere) {
    const host_names names{{}};
    EXPECT_TRUE(names.include("192.0.2.7:80", {"192.0.2.7", 80}));
    EXPECT_TRUE(names.include("[2001:db8::7]:80", {"2001:db8::7", 80}));
    EXPECT_FALSE(names.include("localhost:80", {"192.0.2.7", 80}));
    EXPECT_FALSE(names.include("192.0.2.8:80", {"192.0.2.7", 80}));
}

TEST(admin_own_page, pages_of_other_sites) {
    const std::string host = "localhost:8088";
    EXPECT_TRUE(is_own_page("", "http", host, ""));
    EXPECT_TRUE(is_own_page("http://localhost:8088", "http", host, "same-origin"));
    EXPECT_FALSE(is_own_page("http://localhost:8089", "http", host, ""));
    EXPECT_FALSE(is_own_page("null", "http", host, ""));
    EXPECT_FALSE(is_own_page("https://evil.example.org", "https", host, ""));
    EXPECT_FALSE(is_own_page("http://localhost:8088", "http", host, "cross-site"));
    EXPECT_FALSE(is_own_page("", "http", host, "same-site"));
}

TEST(admin_own_page, the_scheme_is_part_of_the_origin) {
    const std::string host = "locks.example.org";
    EXPECT_TRUE(is_own_page("https://locks.example.org", "https", host, ""));
    EXPECT_FALSE(is_own_page("http://locks.example.org", "https", host, ""));
    EXPECT_FALSE(is_own_page("https://locks.example.org", "http", host, ""));
    EXPECT_FALSE(is_own_page("ftp://locks.example.org", "https", host, ""));
}

class admin_entrance : public ::testing::Test {
protected:
    [[nodiscard]] int status() const {
        try {
            door.check(head);
        } catch (const refusal& why) {
            return why.status();
        }
        return 200;
    }
    void add(const char* name, const std::string& value) { head.headers.push_back({name, value}); }

    const entrance door{host_names{{}}};
    http_request head{.method = "GET",
                      .target = "/",
                      .headers = {{"host", "localhost:8088"}},
                      .here = {"127.0.0.1", 8088}};
};

TEST_F(admin_entrance, a_name_that_is_not_known) {
    EXPECT_EQ(status(), 200);
    head.headers.front().value = "rebound.example.org:8088";
    EXPECT_EQ(status(), 421);
    head.headers.clear();  // HTTP/1.0 allows a request without `Host`
    EXPECT_EQ(status(), 200);
}

TEST_F(admin_entrance, methods) {
    for (const auto* method : {"GET", "HEAD", "POST"}) {
        head.method = method;
        EXPECT_EQ(status(), 200) << method;
    }
    for (const auto* method : {"DELETE", "PUT", "get", "OPTIONS", "CONNECT", "TRACE", "PRI"}) {
        head.method = method;
        EXPECT_EQ(status(), 405) << method;
    }
}

TEST_F(admin_entrance, an_encoded_body) {
    add("content-encoding", "br");
    EXPECT_EQ(status(), 415);
    head.method = "POST";
    EXPECT_EQ(status(), 415);
    head.headers.back().value = "identity";
    EXPECT_EQ(status(), 415);
}

TEST_F(admin_entrance, a_header_that_comes_twice) {
    add("Accept", "a");
    add("Accept", "b");
    EXPECT_EQ(status(), 200);
    add("Cookie", "a");
    add("cookie", "b");
    EXPECT_EQ(status(), 400);
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
    EXPECT_TRUE(rule.take("b", start));
    EXPECT_TRUE(rule.take("a", start + 500ms));
    EXPECT_FALSE(rule.take("a", start + 500ms));
    int taken = 0;
    while (rule.take("a", start + 1h)) ++taken;
    EXPECT_EQ(taken, 3);
}

TEST(admin_rate_limit, turns_come_later_and_later) {
    rate_limit rule{{.per_second = 2, .at_once = 2}};
    const boottime_clock::time_point start{1h};
    EXPECT_EQ(rule.turn("a", start), 0ns);
    EXPECT_EQ(rule.turn("a", start), 0ns);
    EXPECT_EQ(rule.turn("a", start), 500ms);
    EXPECT_EQ(rule.turn("a", start), 1s);
    EXPECT_EQ(rule.turn("b", start), 0ns);
    EXPECT_EQ(rule.turn("a", start + 1s), 500ms);
    EXPECT_EQ(rule.turn("a", start + 1h), 0ns);
}

TEST(admin_rate_limit, many_keys_share_a_bucket) {
    rate_limit rule{{.per_second = 1, .at_once = 1, .most_keys = 2}};
    const boottime_clock::time_point start{1h};
    EXPECT_TRUE(rule.take("a", start));
    EXPECT_TRUE(rule.take("b", start));
    EXPECT_TRUE(rule.take("c", start));
    EXPECT_FALSE(rule.take("d", start));
    EXPECT_TRUE(rule.take("d", start + 1s));  // removes an address whose budget is full again
}

}  // namespace
}  // namespace turnstile::admin
