// SPDX-License-Identifier: Apache-2.0
#include "guardian/message.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>

namespace turnstile::guardian {
namespace {

using namespace std::chrono_literals;

endpoint server() {
    endpoint result;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(2181);
    std::memcpy(&result.address, &address, sizeof address);
    result.length = sizeof address;
    return result;
}

guard_session session() {
    return {.id = -7, .secret = {'s', 'e', 'c'}, .timeout = 30s, .servers = {server(), server()}};
}

TEST(guardian_message, comes_back_as_it_was) {
    const auto back = decode(encode(session()));
    ASSERT_TRUE(back);
    const auto& told = std::get<guard_session>(*back);
    EXPECT_EQ(told.id, -7);
    EXPECT_EQ(told.secret, session().secret);
    EXPECT_EQ(told.timeout, 30s);
    ASSERT_EQ(told.servers.size(), 2U);
    const auto expected = server();
    EXPECT_EQ(std::memcmp(&told.servers[1].address, &expected.address, sizeof(sockaddr_in)), 0);
    EXPECT_TRUE(std::holds_alternative<hello>(*decode(encode(hello{}))));
    EXPECT_EQ(std::get<forget_session>(*decode(encode(forget_session{9}))).id, 9);
    EXPECT_EQ(std::get<keep_open>(*decode(encode(keep_open{8}))).number, 8U);
    EXPECT_EQ(std::get<let_go>(*decode(encode(let_go{8}))).number, 8U);
}

guard_module_session module_session() {
    return {.number = 5,
            .timeout = 20s,
            .id = 77,
            .proof = ":20000000:a1b2:",
            .servers = "redis://:secret@redis1:6379/locks"};
}

TEST(guardian_message, names_a_session_of_a_module) {
    const auto back = decode(encode(module_session()));
    ASSERT_TRUE(back);
    const auto& told = std::get<guard_module_session>(*back);
    EXPECT_EQ(told.number, 5U);
    EXPECT_EQ(told.timeout, 20s);
    EXPECT_EQ(told.id, 77);
    EXPECT_EQ(told.proof, module_session().proof);
    EXPECT_EQ(told.servers, module_session().servers);
    EXPECT_EQ(std::get<forget_module_session>(*decode(encode(forget_module_session{5}))).number,
              5U);
    EXPECT_EQ(std::get<cannot_end>(*decode(encode(cannot_end{"redis://"}))).scheme, "redis://");
    const auto whole = encode(module_session());
    for (std::size_t length = 0; length != whole.size(); ++length)
        EXPECT_FALSE(decode(std::span{whole}.first(length))) << length;
}

TEST(guardian_message, a_scheme_has_nothing_of_the_rest) {
    EXPECT_EQ(scheme_of("redis://:secret@redis1:6379/locks"), "redis://");
    EXPECT_EQ(scheme_of("rediss+sentinel://s"), "rediss+sentinel://");
    EXPECT_EQ(scheme_of("sqlite:/a/file"), "sqlite:/");
    EXPECT_EQ(scheme_of(std::string(100, 'a')).size(), k_longest_scheme);
    EXPECT_EQ(scheme_of(""), "");
}

TEST(guardian_message, the_longest_connect_string_fits) {
    auto longest = module_session();
    longest.servers.assign(k_longest_connect_string, 'a');
    longest.proof.assign(k_longest_proof, 'b');
    EXPECT_TRUE(fits(longest));
    EXPECT_LE(encode(longest).size(), k_longest_message);
    EXPECT_EQ(std::get<guard_module_session>(*decode(encode(longest))).servers, longest.servers);
    longest.servers += 'a';
    EXPECT_FALSE(fits(longest));
}

TEST(guardian_message, a_session_of_a_module_out_of_range_is_refused) {
    const auto is_refused = [](auto change) {
        auto bad = module_session();
        change(bad);
        return !decode(encode(bad));
    };
    EXPECT_FALSE(is_refused([](guard_module_session&) {}));
    EXPECT_TRUE(is_refused([](guard_module_session& bad) { bad.timeout = 0s; }));
    EXPECT_TRUE(is_refused([](guard_module_session& bad) { bad.id = 0; }));
    EXPECT_TRUE(is_refused([](guard_module_session& bad) { bad.proof.clear(); }));
    EXPECT_TRUE(is_refused([](guard_module_session& bad) { bad.servers.clear(); }));
}

TEST(guardian_message, has_what_tls_needs) {
    auto secured = session();
    secured.security = {.enabled = true,
                        .verify = tls::verification::authority,
                        .ca_file = "/ca.crt",
                        .cert_file = "/c.crt",
                        .key_file = "/c.key",
                        .key_password_file = "/c.pw",
                        .crl_file = "/c.crl",
                        .server_name = "zk"};
    secured.servers[1].host = "zk1.example.org";
    const auto back = decode(encode(secured));
    ASSERT_TRUE(back);
    const auto& told = std::get<guard_session>(*back);
    EXPECT_EQ(told.security, secured.security);
    EXPECT_EQ(told.servers[1].host, "zk1.example.org");
    const auto whole = encode(secured);
    for (std::size_t length = 0; length != whole.size(); ++length)
        EXPECT_FALSE(decode(std::span{whole}.first(length))) << length;
}

TEST(guardian_message, has_what_sasl_needs) {
    auto authenticated = session();
    authenticated.sasl = {.user = "lock", .password = "sesame", .password_file = "/pw"};
    auto back = decode(encode(authenticated));
    ASSERT_TRUE(back);
    EXPECT_EQ(std::get<guard_session>(*back).sasl, authenticated.sasl);
    authenticated.sasl = {
        .mechanism = sasl_mechanism::gssapi, .service = "zk", .server_name = "zk1"};
    authenticated.servers[1].host = "zk1.example.org";
    const auto whole = encode(authenticated);
    back = decode(whole);
    ASSERT_TRUE(back);
    EXPECT_EQ(std::get<guard_session>(*back).sasl, authenticated.sasl);
    EXPECT_EQ(std::get<guard_session>(*back).servers[1].host, "zk1.example.org");
    for (std::size_t length = 0; length != whole.size(); ++length)
        EXPECT_FALSE(decode(std::span{whole}.first(length))) << length;
}

TEST(guardian_message, the_most_servers_fit) {
    auto many = session();
    many.servers.assign(k_most_endpoints + 1, server());
    const auto back = decode(encode(many));
    ASSERT_TRUE(back);
    EXPECT_EQ(std::get<guard_session>(*back).servers.size(), k_most_endpoints);
}

TEST(guardian_message, cut_short_or_too_long_is_refused) {
    const auto whole = encode(session());
    for (std::size_t length = 0; length != whole.size(); ++length)
        EXPECT_FALSE(decode(std::span{whole}.first(length))) << length;
    auto longer = whole;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(decode(longer));
}

TEST(guardian_message, values_out_of_range_are_refused) {
    auto bad = session();
    bad.id = 0;
    EXPECT_FALSE(decode(encode(bad)));
    bad = session();
    bad.timeout = 0s;
    EXPECT_FALSE(decode(encode(bad)));
    bad = session();
    bad.servers.clear();
    EXPECT_FALSE(decode(encode(bad)));
    bad = session();
    bad.servers[0].address.ss_family = AF_UNIX;
    EXPECT_FALSE(decode(encode(bad)));
    auto kind = encode(hello{});
    kind.back() = std::byte{99};
    EXPECT_FALSE(decode(kind));
    auto magic = encode(hello{});
    magic.front() = std::byte{0};
    EXPECT_FALSE(decode(magic));
}

}  // namespace
}  // namespace turnstile::guardian
