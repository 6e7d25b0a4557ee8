// SPDX-License-Identifier: Apache-2.0
// redis_server: a real Redis server in its own process, on a free port of 127.0.0.1, with its data in a temporary
// folder.
//
//     redis_server server{{.config = "appendonly yes\nappendfsync always\n"}};
//     server.start();
//     turnstile::client client{server.connect_string()};
//     server.kill();
//     server.start();   // with its data
//
// The program is `redis-server` from PATH (Debian's package redis-server). The server writes no snapshots unless the
// configuration enables them.
//
// Thread safety: any thread may call const members; one thread at a time calls the others.
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

// Files in PEM for a server with TLS.
struct redis_tls_files {
    std::string certificate{};         // for 127.0.0.1
    std::string key{};                 // the private key of the certificate
    std::string authorities{};         // authorities that the clients and the server trust
    bool client_certificates = false;  // clients must present a certificate
};

// The options of a server.
struct redis_server_options {
    std::string config{};  // lines of redis.conf; they come after this class's lines
    // True: the server is a sentinel. Then `config` must name the servers that the sentinel watches
    // (redis_sentinel.hpp).
    bool sentinel = false;
    // If set, the server also has a second port, with TLS. The first port, which ask() uses, stays without TLS.
    std::optional<redis_tls_files> tls{};
};

// A server.
class redis_server {
public:
    // Writes the configuration, and starts nothing. Throws std::system_error if a file cannot be written.
    explicit redis_server(redis_server_options options = {});

    // Starts the server, and returns when it answers. Does nothing if the server runs. Throws std::runtime_error if
    // redis-server is not installed (the message names the Debian package), or if the server does not answer in time
    // (the message has its log).
    void start(test_deadline until = {});
    void stop();    // SIGTERM, and waits for the end; the configuration decides which data remain
    void kill();    // SIGKILL, and waits for the end
    void pause();   // SIGSTOP: connections stay open, but get no answer
    void resume();  // SIGCONT

    [[nodiscard]] bool running() const;  // true also while the server is paused
    // Returns the port on 127.0.0.1.
    [[nodiscard]] std::uint16_t port() const noexcept { return port_.number(); }
    // Returns the address of the port without TLS, like "127.0.0.1:20001".
    [[nodiscard]] std::string address() const { return port_.address(); }
    // Returns the address of the port with TLS. If the server has no TLS, returns address().
    [[nodiscard]] std::string tls_address() const;
    // Returns a text like "redis://127.0.0.1:20001", or with TLS "rediss://127.0.0.1:20002?ca_file=/tmp/ca.crt".
    [[nodiscard]] std::string connect_string() const;
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }
    [[nodiscard]] std::string log() const;  // the server's output since its first start

    // Sends an inline command like "CONFIG SET maxmemory 1mb", and returns the answer: a line like "+OK", "-ERR ..." or
    // ":1"; or the text of a bulk string; or the texts of an array, separated by blanks. Throws std::system_error if
    // there is no connection.
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
