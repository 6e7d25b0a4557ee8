// SPDX-License-Identifier: Apache-2.0
// Tests a hostile program that acts as a server: it has no TLS although the client requires TLS, or its answers never
// end.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "client/log_lines.hpp"
#include "recording_peer.hpp"
#include "turnstile/testing/event.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* k_secret = "tr0ub4dor";

client_options quick() {
    client_options options;
    options.session_timeout = 4s;
    options.retry_first = 10ms;
    options.retry_longest = 100ms;
    return options;
}

// Lets a client connect until two of its connections are closed. Returns all bytes that the client sent.
std::string sent_to(const recording_peer& peer, const std::string& connect_string) {
    const client servers{connect_string, quick()};
    EXPECT_TRUE(eventually([&] { return peer.closed() >= 2; })) << connect_string;
    return peer.received();
}

#ifdef TURNSTILE_WITH_MARIADB
// Returns MariaDB 10.11's greeting without the capability CLIENT_SSL (0x800).
recording_peer::manners mariadb_without_tls() {
    using namespace std::string_literals;
    const std::string body =
        "\x0a"
        "5.5.5-10.11.6-MariaDB\0"s +
        "\x01\0\0\0"s + "abcdefgh" + "\0"s + "\xfe\xf7"s + "\x2d\x02\0"s + "\xff\x81\x15"s +
        std::string(6, '\0') + "\x1d\0\0\0"s + "ijklmnopqrst\0"s + "mysql_native_password\0"s;
    return {std::string{static_cast<char>(body.size())} + "\0\0\0"s + body, "", ""};
}

TEST(hostile_server, mariadb_without_tls_gets_no_login) {
    const testing::temporary_folder folder;
    const auto file = (folder.path() / "client.pem").string();
    std::ofstream{file};
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    for (const auto& tls :
         std::vector<std::string>{"ssl=true", "tls_version=TLSv1.3", "ssl_cipher=AES256-SHA",
                                  "ssl_ca=" + file, "ssl_capath=" + folder.path().string(),
                                  "ssl_fp=00112233", "ssl_cert=" + file + "&ssl_key=" + file,
                                  "ssl_crl=" + file, "ssl_crlpath=" + folder.path().string()}) {
        const recording_peer peer{mariadb_without_tls()};
        EXPECT_THAT(sent_to(peer, std::string{"mysql://shop:"} + k_secret + "@" + peer.address() +
                                      "/shop?" + tls),
                    IsEmpty())
            << tls;
    }
}

// The greeting has CLIENT_SSL, and the peer then never answers the TLS handshake.
TEST(hostile_server, mariadb_that_is_silent_in_the_handshake_is_left) {
    auto silent = mariadb_without_tls();
    const auto flags = silent.greeting.find("\xfe\xf7");
    silent.greeting.replace(flags, 2, "\xfe\xff");
    const recording_peer peer{silent};
    EXPECT_THAT(sent_to(peer, "mysql://shop@" + peer.address() + "/shop?ssl=true"),
                HasSubstr("\x16\x03"))
        << "the beginning of a handshake";
}

// A client without TLS answers the greeting, which shows that the greeting is well-formed.
TEST(hostile_server, mariadb_gets_a_login_from_a_client_without_tls) {
    const recording_peer peer{mariadb_without_tls()};
    const client servers{"mysql://shop:x@" + peer.address() + "/shop", quick()};
    EXPECT_TRUE(eventually([&] { return peer.received().find("shop") != std::string::npos; }));
}
#endif

#ifdef TURNSTILE_WITH_POSTGRESQL
// "N" means that the server has no TLS. The client may send only its request for TLS, which is eight bytes long.
TEST(hostile_server, postgresql_without_tls_gets_no_login) {
    for (const auto* mode : {"require", "verify-ca", "verify-full"}) {
        const recording_peer peer{{"", "N", ""}};
        const auto sent = sent_to(peer, std::string{"postgresql://shop:"} + k_secret + "@" +
                                            peer.address() + "/shop?sslmode=" + mode);
        EXPECT_EQ(sent.size() % 8, 0U) << mode;
        EXPECT_THAT(sent, Not(HasSubstr("shop"))) << mode;
    }
}
#endif

#ifdef TURNSTILE_WITH_TLS
// The client must begin with TLS, and after a refusal it must not send plain text.
TEST(hostile_server, redis_and_sentinels_without_tls_get_no_login) {
    for (const std::string scheme : {"rediss://", "rediss+sentinel://"}) {
        const recording_peer peer{{"", "-ERR unknown command\r\n", ""}};
        const auto sent = sent_to(peer, scheme + "shop:" + k_secret + "@" + peer.address() +
                                            (scheme == "rediss://" ? "/shop" : "/locks/shop"));
        EXPECT_THAT(sent, StartsWith("\x16\x03")) << scheme;
        EXPECT_THAT(sent, Not(HasSubstr("AUTH"))) << scheme;
        EXPECT_THAT(sent, Not(HasSubstr(k_secret))) << scheme;
    }
}
#endif

#ifdef TURNSTILE_WITH_REDIS
// Before the end of the handshake, a server must not be able to make the client allocate much memory.
TEST(hostile_server, redis_reply_without_an_end_costs_little_memory) {
    constexpr std::size_t k_most = std::size_t{16} << 20U;  // with the buffers of both sockets
    const std::string chunk(65'536, 'x');
    for (const std::string beginning : {"$1000000000\r\n", "*100000000\r\n$70000\r\n", "+", "-"}) {
        for (const std::string scheme : {"redis://", "redis+sentinel://"}) {
            const log_lines log;
            const recording_peer peer{{"", beginning, chunk}};
            sent_to(peer, scheme + "shop:x@" + peer.address() +
                              (scheme == "redis://" ? "/shop" : "/locks/shop"));
            EXPECT_LT(peer.most_taken(), k_most) << scheme << beginning;
        }
    }
}
#endif

// The peer accepts connections and sends nothing.
TEST(hostile_server, that_is_silent_is_told_as_such) {
    std::vector<std::pair<std::string, std::string>> table{{"", "accepts connections, but"}};
#ifdef TURNSTILE_WITH_REDIS
    table.emplace_back("redis://", "no answer in time");
    table.emplace_back("redis+sentinel://", "no answer in time");
#endif
#ifdef TURNSTILE_WITH_POSTGRESQL
    table.emplace_back("postgresql://u:x@", "accepts connections, but does not answer");
#endif
#ifdef TURNSTILE_WITH_MARIADB
    table.emplace_back("mysql://u:x@", "accepts connections, but does not answer");
#endif
    for (const auto& [scheme, words] : table) {
        const recording_peer peer{{"", "", ""}};
        client_options options;
        options.session_timeout = 60s;  // the first attempt is still in progress
        client servers{scheme + peer.address() + (scheme.empty() ? "" : "/shop"), options};
        std::string said;
        EXPECT_TRUE(eventually([&, words = words] {
            const auto connected = servers.wait_connected(1s);
            said = connected ? "connected" : connected.error().message();
            return said.find(words) != std::string::npos;
        })) << scheme
            << said;
    }
}

#ifdef TURNSTILE_WITH_MARIADB
// The peer asks for the password in clear text, by each method that exists.
TEST(hostile_server, mariadb_without_tls_gets_no_password_in_clear) {
    using namespace std::string_literals;
    for (const std::string method : {"mysql_clear_password", "dialog"}) {
        const auto question = method == "dialog" ? "\x04Password: \0"s : ""s;
        const auto body = "\xfe"s + method + "\0"s + question;
        const recording_peer peer{{mariadb_without_tls().greeting,
                                   std::string{static_cast<char>(body.size())} + "\0\0\x02"s + body,
                                   ""}};
        const auto sent =
            sent_to(peer, std::string{"mysql://shop:"} + k_secret + "@" + peer.address() + "/shop");
        EXPECT_THAT(sent, HasSubstr("shop")) << method;
        EXPECT_THAT(sent, Not(HasSubstr(k_secret))) << method;
    }
}
#endif

}  // namespace
}  // namespace turnstile::tests
