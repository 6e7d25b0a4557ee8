// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/connect_string.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace turnstile::zookeeper {
namespace {

std::string refusal(const std::string& text) {
    const auto parsed = parse_connect_string(text);
    if (parsed) return "accepted";
    EXPECT_EQ(parsed.error(), errc::bad_connect_string);
    return parsed.error().message();
}

TEST(connect_string, is_taken_apart) {
    const auto parsed = parse_connect_string("zk1:2181,127.0.0.1:2182,[::1]:2183/shop/a");
    ASSERT_TRUE(parsed) << parsed.error().message();
    const ensemble_address expected{{{"zk1", 2181}, {"127.0.0.1", 2182}, {"::1", 2183}}, "/shop/a"};
    EXPECT_EQ(*parsed, expected);
    EXPECT_EQ(hosts_of(*parsed, address_form::for_people), "zk1:2181,127.0.0.1:2182,[::1]:2183");
    EXPECT_EQ(hosts_of(*parsed, address_form::for_c_client), "zk1:2181,127.0.0.1:2182,::1:2183");
    EXPECT_EQ(to_string(*parsed), "zk1:2181,127.0.0.1:2182,[::1]:2183/shop/a");
}

TEST(connect_string, has_a_default_port) {
    EXPECT_EQ(to_string(parse_connect_string("zk1,zk2:2182,[::1]/shop").value()),
              "zk1:2181,zk2:2182,[::1]:2181/shop");
}

TEST(connect_string, may_have_blanks_beside_its_commas) {
    EXPECT_EQ(to_string(parse_connect_string(" zk1:2181, zk2:2182\t,zk3 ").value()),
              "zk1:2181,zk2:2182,zk3:2181");
    EXPECT_NE(refusal(" ").find("names no server"), std::string::npos);
    EXPECT_NE(refusal("a, ,b").find("empty server"), std::string::npos);
}

TEST(connect_string, takes_a_zone_as_urls_write_it) {
    for (const char* text : {"[fe80::1%eth0]:2181", "[fe80::1%25eth0]:2181", "[fe80::1%25eth0]"})
        EXPECT_EQ(parse_connect_string(text).value().servers.front().host, "fe80::1%eth0") << text;
}

TEST(connect_string, needs_no_chroot) {
    EXPECT_EQ(parse_connect_string("a-b_c.d:1")->chroot, "");
    EXPECT_EQ(parse_connect_string("a:65535/")->chroot, "");
}

TEST(connect_string, with_tls_has_its_scheme_port_and_options) {
    const auto parsed = parse_connect_string(
        "zookeepers://zk1,zk2:2290/shop?ca_file=/a%26b.crt&cert_file=/c.crt&key_file=/c.key"
        "&key_password_file=/c.pw&crl_file=/d.crl&server_name=zk");
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(to_string(*parsed), "zookeepers://zk1:2281,zk2:2290/shop");
    EXPECT_EQ(parsed->chroot, "/shop");
    for (const auto& server : parsed->servers)
        EXPECT_EQ(server.security->tls, (tls::settings{.enabled = true,
                                                       .ca_file = "/a&b.crt",
                                                       .cert_file = "/c.crt",
                                                       .key_file = "/c.key",
                                                       .key_password_file = "/c.pw",
                                                       .crl_file = "/d.crl",
                                                       .server_name = "zk"}));
    EXPECT_EQ(
        parse_connect_string("zookeepers://zk1?verify=ca")->servers.front().security->tls.verify,
        tls::verification::authority);
    EXPECT_EQ(parse_connect_string("zk1:2281")->security(), nullptr);
}

TEST(connect_string, with_sasl_has_a_user_with_tls_or_without) {
    const auto plain =
        parse_connect_string("zookeeper://zk1,zk2/shop?sasl_user=a%26b&sasl_password_file=/p");
    ASSERT_TRUE(plain) << plain.error().message();
    EXPECT_EQ(to_string(*plain), "zk1:2181,zk2:2181/shop");
    for (const auto& server : plain->servers) {
        EXPECT_FALSE(server.security->tls.enabled);
        EXPECT_EQ(server.security->sasl, (sasl_options{.user = "a&b", .password_file = "/p"}));
    }
    const auto both =
        parse_connect_string("zookeepers://zk1?sasl_user=a&ca_file=/c&sasl_password_file=/p");
    EXPECT_EQ(both->security()->tls.ca_file, "/c");
    EXPECT_EQ(both->security()->sasl.user, "a");
    EXPECT_EQ(parse_connect_string("zookeeper://zk1:2181")->security(), nullptr);
    EXPECT_NE(refusal("zookeeper://zk1?sasl_user=a").find("a user needs a password"),
              std::string::npos);
    EXPECT_NE(
        refusal("zookeeper://zk1?ca_file=/c").find("the options are sasl_mechanism, sasl_user"),
        std::string::npos);
}

TEST(connect_string, with_kerberos_has_the_principals_of_the_servers) {
    const auto parsed = parse_connect_string(
        "zookeeper://zk1?sasl_mechanism=GSSAPI&sasl_service=zk&sasl_server_name=zk.example.org");
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(parsed->security()->sasl, (sasl_options{.mechanism = sasl_mechanism::gssapi,
                                                      .service = "zk",
                                                      .server_name = "zk.example.org"}));
    EXPECT_TRUE(parsed->security()->has_identity());
    const std::string at = "zookeeper://zk1?sasl_mechanism=";
    EXPECT_NE(refusal(at + "PLAIN").find("must be DIGEST-MD5 or GSSAPI"), std::string::npos);
    EXPECT_NE(refusal(at + "GSSAPI&sasl_user=a").find("for GSSAPI"), std::string::npos);
    EXPECT_NE(refusal(at + "GSSAPI&sasl_mechanism=DIGEST-MD5").find("sasl_mechanism twice"),
              std::string::npos);
    EXPECT_NE(refusal("zookeeper://zk1?sasl_user=a&sasl_password_file=/p&sasl_service=zk")
                  .find("which only GSSAPI uses"),
              std::string::npos);
}

TEST(connect_string, gets_tls_and_sasl_from_options_once) {
    auto plain = parse_connect_string("zk1").value();
    const server_security user{.sasl = {.user = "a", .password = "b"}};
    ASSERT_TRUE(secure(plain, user));
    EXPECT_EQ(plain.security()->sasl, user.sasl);
    EXPECT_TRUE(plain.security()->has_identity());
    EXPECT_EQ(secure(plain, user).error(), errc::bad_option);
    ASSERT_TRUE(secure(plain, {.tls = {.enabled = true}}));
    EXPECT_TRUE(plain.security()->tls.enabled);
    EXPECT_EQ(plain.security()->sasl, user.sasl);
    for (const sasl_options& wrong :
         {sasl_options{.user = "a"}, sasl_options{.password = "b"},
          sasl_options{.user = "a", .password = "b", .password_file = "/p"},
          sasl_options{.service = "zk"}}) {
        auto other = parse_connect_string("zk1").value();
        const auto refused = secure(other, {.sasl = wrong});
        ASSERT_FALSE(refused) << wrong.user;
        EXPECT_EQ(refused.error(), errc::bad_option);
        EXPECT_EQ(other.security(), nullptr);
    }
}

TEST(connect_string, has_no_part_of_a_password_in_its_chroot) {
    for (const std::string text : {"u:12/zzz@h", "u:12/zzz@h/x@y", "zookeeper://u:12/zzz@h",
                                   "zookeepers://u:12/zzz@h?ca_file=/c", "a:1,u:12/zzz@h"}) {
        const auto message = refusal(text);
        EXPECT_NE(message.find("has an '@' in its chroot"), std::string::npos) << text;
        EXPECT_EQ(message.find("zzz"), std::string::npos) << message;
    }
}

TEST(connect_string, with_tls_has_no_option_that_means_nothing) {
    const std::string all = "zookeepers://zk1?";
    const std::pair<const char*, const char*> rows[] = {
        {"ca=/a", "has the unknown option 'ca'"},
        {"verify=some", "must be full, ca or none"},
        {"ca_file=", "ca_file is empty"},
        {"ca_file=%4", "without two hex digits after it"},
        {"cert_file=/a", "a certificate needs its key"},
        {"key_file=/a", "a certificate needs its key"},
        {"key_password_file=/a", "key_password_file without key_file"},
        {"verify=none&ca_file=/a", "which would have no effect"},
        {"verify=ca&server_name=zk", "has server_name, which only verify=full uses"}};
    for (const auto& [options, rule] : rows)
        EXPECT_NE(refusal(all + options).find(rule), std::string::npos) << refusal(all + options);
    EXPECT_NE(refusal("zookeepers://").find("names no server"), std::string::npos);
}

TEST(connect_string, names_the_value_and_the_rule) {
    EXPECT_EQ(refusal(""),
              "bad connect string: \"\": names no server: write host[:port][,host[:port]]...");
    EXPECT_EQ(refusal("/a"),
              "bad connect string: \"/a\": names no server: write host[:port][,host[:port]]...");
    EXPECT_EQ(refusal("a:1,,b:2"),
              "bad connect string: \"a:1,,b:2\": has an empty server between commas");
    EXPECT_EQ(refusal("a:1,"), "bad connect string: \"a:1,\": has an empty server between commas");
    EXPECT_EQ(refusal(":2181"),
              "bad connect string: \":2181\": server \":2181\" has a port but no host");
    EXPECT_EQ(refusal("a:1/b//c"),
              "bad connect string: \"a:1/b//c\": has a chroot that is a bad path: path \"/b//c\": "
              "must not contain an empty name (\"//\")");
    EXPECT_EQ(refusal("a:1;b:2"),
              "bad connect string: \"a:1;b:2\": server \"a:1;b:2\" has a blank or a semicolon in "
              "it: write commas between servers");
    EXPECT_NE(refusal("a:1 b:2").find("write commas"), std::string::npos);
    EXPECT_NE(refusal("a:21 81").find("write commas"), std::string::npos);
    EXPECT_NE(refusal("::1:2181").find("an IPv6 address needs brackets"), std::string::npos);
}

// A comma splits the text, so the pieces of this password look like servers.
TEST(connect_string, shows_no_piece_of_a_password) {
    for (const char* text : {"u:secret,x@a:1", "u:x,secret@a:1", "u:secret:x,y@a:1"})
        EXPECT_EQ(refusal(text).find("secret"), std::string::npos) << refusal(text);
}

TEST(connect_string, refuses_a_chroot_for_each_server) {
    for (const char* text :
         {"a:2181/x,b:2181/x", "a:2181/x,b:2181", "a:2181/,b:2181/x", "a:1/x/y,[::1]:2/z"}) {
        EXPECT_NE(refusal(text).find("the chroot of all servers comes after the last server"),
                  std::string::npos)
            << text;
    }
    EXPECT_EQ(refusal("a:1/x,b:2/x"),
              "bad connect string: \"a:1/x,b:2/x\": has \"/x,b:2/x\" after its first server: the "
              "chroot of all servers comes after the last server, host:port,host:port/chroot");
    EXPECT_EQ(parse_connect_string("a:2181/x,y").value().chroot, "/x,y") << "a name with a comma";
}

TEST(connect_string, refuses_bad_ports) {
    for (const auto* port :
         {"", "0", "-1", "65536", "99999999999", "0x885", "02181", "+1", "port"}) {
        EXPECT_NE(refusal("a:" + std::string{port}).find("has a bad port"), std::string::npos)
            << port;
    }
}

TEST(connect_string, refuses_bad_hosts) {
    for (const auto* host : {"a b", "a\n", "http://a", "a@b", "[::1", "[]", "[:: 1]", "::1]"}) {
        EXPECT_NE(refusal(std::string{host} + ":2181"), "accepted") << host;
    }
}

TEST(connect_string, bounds_the_number_of_servers) {
    std::string many = "a:1";
    for (std::size_t i = 1; i < k_most_hosts; ++i) many += ",a:1";
    EXPECT_TRUE(parse_connect_string(many));
    EXPECT_NE(refusal(many + ",a:1").find("more than 64 servers"), std::string::npos);
}

TEST(connect_string, refusals_show_no_piece_of_a_password) {
    for (const std::string text : {"zookeepers://u:secret", "zookeepers://u:secret?x@h",
                                   "zookeepers://zk1?secret@h", "zookeepers://u:1?secret@h"})
        EXPECT_EQ(refusal(text).find("secret"), std::string::npos) << text << ": " << refusal(text);
}

}  // namespace
}  // namespace turnstile::zookeeper
