// SPDX-License-Identifier: Apache-2.0
// Tests locks on a Redis server over TLS: trusted and refused certificates, and encrypted connections.
#include <fstream>
#include <future>

#include "client/log_lines.hpp"
#include "redis/records.hpp"
#include "redis_support.hpp"
#include "tls_link.hpp"

namespace turnstile::tests {
namespace {

class tls_of_redis : public on_redis_servers {
protected:
    tls_of_redis() { server.start(); }

    [[nodiscard]] testing::redis_tls_files files_of(const own_certificate& server_s,
                                                    bool client_certificates = false) const {
        // Servers need the authority of the clients' certificates, and clients need the authority of the server's
        // certificate. One file has both authorities.
        const auto all = (folder.path() / "authorities.crt").string();
        std::ofstream out{all};
        for (const auto* each : {&own, &other}) {
            std::ifstream in{each->certificate()};
            out << in.rdbuf();
        }
        return {server_s.certificate(), server_s.key(), all, client_certificates};
    }
    static std::string with(const redis_server& at, const std::string& options) {
        return "rediss://" + at.tls_address() + options;
    }

    const testing::temporary_folder folder;
    const own_certificate own{folder.path()};
    const own_certificate other{folder.path(), "other"};
    redis_server server{{.tls = files_of(own)}};
};

TEST_F(tls_of_redis, carries_locks) {
    std::vector<std::unique_ptr<client>> clients;
    for (int i = 0; i != 4; ++i) clients.push_back(connect(server.connect_string()));
    std::atomic<int> inside{0};
    std::vector<std::future<void>> all;
    for (const auto& each : clients)
        all.push_back(std::async(std::launch::async, [&] {
            mutex lock{*each, path};
            for (int i = 0; i != 10; ++i) {
                const auto hold = lock.acquire({.timeout = limit()});
                ASSERT_TRUE(hold) << hold.error().message();
                EXPECT_EQ(++inside, 1);
                --inside;
            }
        }));
    for (auto& each : all) each.get();
}

// Requests and replies fill many TLS records in both directions at once.
TEST_F(tls_of_redis, carries_what_is_larger_than_a_record) {
    const auto writing = connect(server.connect_string());
    auto hold = mutex{*writing, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const std::string large(500'000, 'x');
    std::vector<std::future<bool>> all;
    for (int i = 0; i != 8; ++i)
        all.push_back(std::async(std::launch::async, [&, i] {
            const auto name = path + "/data" + std::to_string(i);
            return bool{hold->commit(transaction{}.put(name, large), {.timeout = limit()})};
        }));
    for (auto& each : all) EXPECT_TRUE(each.get());
    EXPECT_EQ(server.ask("HSTRLEN {turnstile}:n " + path + "/data7"),
              ':' + std::to_string(redis::k_record_head + large.size()));
}

TEST_F(tls_of_redis, a_broken_connection_is_made_anew) {
    tcp_proxy proxy{server.tls_address(), testing::traffic::bytes};
    const auto cut_off =
        connect("rediss://" + proxy.address() + "?ca_file=" + own.certificate(), with_timeout(20s));
    mutex lock{*cut_off, path};
    ASSERT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    const auto observer = connect(server.connect_string());
    for (int i = 0; i != 5; ++i) {
        proxy.black_hole(testing::direction::to_client);
        auto granted =
            std::async(std::launch::async, [&] { return lock.acquire({.timeout = limit()}); });
        ASSERT_TRUE(becomes_size(*observer, path, 1));
        proxy.cut();
        proxy.pass();
        auto hold = granted.get();
        ASSERT_TRUE(hold) << hold.error().message();
        ASSERT_TRUE(hold->release(limit()));
    }
}

// Only the session's thread waits for the server, so closing the client is fast.
TEST_F(tls_of_redis, a_server_that_does_not_answer_the_greeting_holds_nobody_up) {
    tcp_proxy proxy{server.tls_address(), testing::traffic::bytes};
    proxy.black_hole();
    client early{"rediss://" + proxy.address() + "?ca_file=" + own.certificate(),
                 with_timeout(20s)};
    EXPECT_FALSE(early.wait_connected(50ms));
    early.close();
}

TEST_F(tls_of_redis, a_certificate_of_an_unknown_authority_is_refused) {
    EXPECT_TRUE(is_refused(with(server, ""), errc::not_connected,
                           "the server's certificate is from no trusted authority"));
    EXPECT_TRUE(is_refused(with(server, "?ca_file=" + other.certificate()), errc::not_connected,
                           "the server's certificate is from no trusted authority"));
    connect(with(server, "?verify=none"));
}

TEST_F(tls_of_redis, a_certificate_for_another_name_is_refused) {
    const own_certificate foreign{folder.path(), "foreign", "IP:192.0.2.1,DNS:redis1"};
    redis_server misnamed{{.tls = files_of(foreign)}};
    misnamed.start();
    const auto trusted = "?ca_file=" + foreign.certificate();
    EXPECT_TRUE(is_refused(with(misnamed, trusted), errc::not_connected,
                           "the server's certificate is not for the name 127.0.0.1"));
    connect(with(misnamed, trusted + "&verify=ca"));
}

TEST_F(tls_of_redis, a_name_in_the_subject_alone_does_not_count) {
    const own_certificate subject{folder.path(), "localhost", "",
                                  own_certificate::key_kind::elliptic, "localhost"};
    redis_server by_subject{{.tls = files_of(subject)}};
    by_subject.start();
    const auto port = by_subject.tls_address().substr(by_subject.tls_address().rfind(':'));
    EXPECT_TRUE(is_refused("rediss://localhost" + port + "?ca_file=" + subject.certificate(),
                           errc::not_connected,
                           "the server's certificate is not for the name localhost"));
}

// Without forward secrecy, a thief of the server's key could later decrypt every recorded connection.
TEST_F(tls_of_redis, ciphers_have_forward_secrecy) {
    const own_certificate rsa{folder.path(), "rsa", "IP:127.0.0.1", own_certificate::key_kind::rsa};
    redis_server outdated{
        {.config = "tls-protocols TLSv1.2\ntls-ciphers AES256-GCM-SHA384\n", .tls = files_of(rsa)}};
    outdated.start();
    EXPECT_TRUE(is_refused(with(outdated, "?ca_file=" + rsa.certificate()), errc::not_connected,
                           "handshake failure"));
}

TEST_F(tls_of_redis, a_server_without_tls_is_told) {
    const log_lines log;
    client plain{"rediss://" + server.address() + "?verify=none", with_timeout(1s)};
    EXPECT_TRUE(eventually([&] { return log.with("use redis:// for a server without TLS") > 0; }));
}

// The server refuses the certificate only after the client's first request. The server's message may be lost, and the
// client then gets it at a later attempt.
TEST_F(tls_of_redis, a_certificate_of_the_client_is_shown_to_servers_that_ask) {
    const log_lines log;
    redis_server strict{{.tls = files_of(own, true)}};
    strict.start();
    const auto trusted = strict.connect_string();
    const client silent{trusted, with_timeout()};
    EXPECT_TRUE(
        eventually([&] { return log.with("the server requires a client certificate") > 0; }));
    const auto shown = "&cert_file=" + other.certificate() + "&key_file=" + other.key();
    const auto session = connect(trusted + shown);
    EXPECT_TRUE((mutex{*session, path}.acquire({.timeout = limit()}).has_value()));
    const own_certificate stranger{folder.path(), "stranger"};
    const client strange{
        trusted + "&cert_file=" + stranger.certificate() + "&key_file=" + stranger.key(),
        with_timeout()};
    EXPECT_TRUE(
        eventually([&] { return log.with("does not trust the client's certificate") > 0; }));
}

TEST_F(tls_of_redis, files_that_are_not_to_be_used_are_named) {
    EXPECT_TRUE(is_refused(with(server, "?ca_file=/none.crt"), errc::not_connected,
                           "ca_file=/none.crt: No such file"));
    EXPECT_TRUE(is_refused(with(server, "?ca_file=" + own.key()), errc::not_connected,
                           "ca_file=" + own.key() + ": "));
    const auto pair = "?cert_file=" + own.certificate() + "&key_file=" + other.key();
    EXPECT_TRUE(is_refused(with(server, pair), errc::not_connected,
                           "key_file=" + other.key() + ": key values mismatch"));
    ASSERT_EQ(::chmod(own.key().c_str(), 0644), 0);
    const auto open = "?cert_file=" + own.certificate() + "&key_file=" + own.key();
    EXPECT_TRUE(is_refused(with(server, open), errc::not_connected,
                           "key_file=" + own.key() + ": other users can open it (mode 0644)"));
}

TEST_F(tls_of_redis, files_are_read_at_each_connection) {
    const auto late = folder.path() / "late.crt";
    const log_lines log;
    std::filesystem::copy_file(other.certificate(), late);
    EXPECT_TRUE(is_refused(with(server, "?ca_file=" + late.string()), errc::not_connected));
    const auto overwrite = std::filesystem::copy_options::overwrite_existing;
    std::filesystem::copy_file(own.certificate(), late, overwrite);
    const auto session = connect(with(server, "?ca_file=" + late.string()), with_timeout(20s));
    std::filesystem::copy_file(other.certificate(), late, overwrite);
    server.stop();
    server.start();
    EXPECT_TRUE(eventually([&] { return log.with("no trusted authority") > 0; }));
    std::filesystem::copy_file(own.certificate(), late, overwrite);
    EXPECT_TRUE(eventually([&] { return session->state() == session_state::connected; }));
}

TEST_F(tls_of_redis, sentinels_speak_it_too) {
    const auto port = server.tls_address().substr(server.tls_address().rfind(':') + 1);
    redis_server sentinel{
        {.config = "tls-replication yes\nsentinel monitor locks 127.0.0.1 " + port + " 1\n",
         .sentinel = true,
         .tls = files_of(own)}};
    sentinel.start();
    const auto where = "rediss+sentinel://" + sentinel.tls_address() + "/locks";
    const auto session = connect(where + "?ca_file=" + own.certificate());
    EXPECT_TRUE((mutex{*session, path}.acquire({.timeout = limit()}).has_value()));
    EXPECT_TRUE(
        is_refused(where, errc::not_connected,
                   "sentinel " + sentinel.tls_address() + ": the server's certificate is from no"));
}

}  // namespace
}  // namespace turnstile::tests
