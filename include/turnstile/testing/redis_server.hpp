// SPDX-License-Identifier: Apache-2.0
// redis_server: one real Redis server in a process of its own, on a free port of 127.0.0.1, with its data in a temporary
// folder.
//
//     redis_server server{{.config = "appendonly yes\nappendfsync always\n"}};
//     server.start();
//     turnstile::client client{server.connect_string()};
//     server.kill();
//     server.start();   // with its data
//
// Runs `redis-server` of PATH, as Debian's package redis-server installs it; without snapshots unless the
// configuration asks for them.
//
// Thread safety: const members from any thread; the others from one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/testing/loopback_port.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

// Files in PEM, for a server that speaks TLS.
struct redis_tls_files {
    std::string certificate{};         // for 127.0.0.1
    std::string key{};                 // of the certificate
    std::string authorities{};         // which clients trust, and the server
    bool client_certificates = false;  // clients have to show theirs
};

struct redis_server_options {
    std::string config{};  // lines of redis.conf, after those of the kit
    // A sentinel, which watches servers: the configuration says which (redis_sentinel.hpp).
    bool sentinel = false;
    // On a further port; that of `ask` stays without.
    std::optional<redis_tls_files> tls{};
};

class redis_server {
public:
    // Writes the configuration; starts nothing. Throws std::system_error if a file cannot be written.
    explicit redis_server(redis_server_options options = {});

    // Returns once it answers; nothing if it runs. Throws std::runtime_error if there is no redis-server (and names the
    // Debian package), or if it does not answer in time: with its log.
    void start(test_deadline until = {});
    void stop();   // SIGTERM and waits; the data stays as the configuration says
    void kill();   // SIGKILL and waits
    void pause();  // SIGSTOP: connections stay open, nothing is answered
    void resume();

    [[nodiscard]] bool running() const;  // also while it is paused
    [[nodiscard]] std::uint16_t port() const noexcept { return port_.number(); }
    [[nodiscard]] std::string address() const { return port_.address(); }
    // The address for TLS; without it the other one.
    [[nodiscard]] std::string tls_address() const;
    // "redis://127.0.0.1:20001"; with TLS "rediss://127.0.0.1:20002?ca_file=/tmp/ca.crt".
    [[nodiscard]] std::string connect_string() const;
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }
    [[nodiscard]] std::string log() const;  // what the server wrote since the first start

    // The answer to an inline command, "CONFIG SET maxmemory 1mb": its first line, "+OK", "-ERR ...", ":1", the text of a
    // bulk string, or those of an array with blanks between them. Throws std::system_error if there is no connection.
    [[nodiscard]] std::string ask(std::string_view command, test_deadline until = {}) const;

private:
    loopback_port port_;
    std::optional<redis_tls_files> tls_;
    std::optional<loopback_port> tls_port_;
    temporary_folder folder_;
    std::filesystem::path log_;
    bool sentinel_;
    std::optional<process> process_;
};

}  // namespace turnstile::testing
