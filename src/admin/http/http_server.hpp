// SPDX-License-Identifier: Apache-2.0
// http_server: the HTTP server for the admin page and for an election's page, with limits, checks and TLS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "admin/http/listen_address.hpp"
#include "admin/http/request.hpp"
#include "admin/http/service.hpp"
#include "admin/http/tls.hpp"

namespace turnstile::admin {

// A server's counters since its start, and its number of open connections.
struct http_traffic {
    std::size_t connections = 0;  // open
    std::size_t streams = 0;      // running
    std::uint64_t answered = 0;
    std::uint64_t refused = 0;
};

struct http_settings {
    listen_address listen{};
    std::vector<std::string> names{};  // further names of this server, without a port
    std::vector<http_header>
        headers{};            // for all answers; an answer's own header of that name wins
    std::size_t threads = 4;  // for answers that may block
    std::unique_ptr<const tls_context> tls{};  // null: plain connections
};

//     http_server web{{.listen = {"127.0.0.1", 0}, .names = {"locks.example.org"}}};
//     web.run(service);   // until end(), from any thread
//
// Thread safety: all members from any thread; run() once.
class http_server {
public:
    // Listens at the address. Throws std::runtime_error if it cannot bind the address.
    explicit http_server(http_settings settings);
    ~http_server();
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;

    // Returns the address, with the port on which the server listens.
    [[nodiscard]] const listen_address& address() const noexcept;
    // Answers requests until end(). If end() was called before, run() returns at once. Returns false if the listening
    // socket failed.
    [[nodiscard]] bool run(http_service& service);
    // Makes the server accept no more connections. run() returns when the server has sent the answers in progress.
    void end();
    // Makes the server ask each stream for its next part.
    void wake_streams();
    [[nodiscard]] http_traffic traffic() const;

private:
    class inside;
    const std::unique_ptr<inside> inside_;
};

}  // namespace turnstile::admin
