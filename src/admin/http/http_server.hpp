// SPDX-License-Identifier: Apache-2.0
// http_server: the server of the admin page and of an election's page: connections, limits, checks, TLS.
//
//     http_server web{{.listen = {"127.0.0.1", 0}, .names = {"locks.example.org"}}};
//     web.run(service);   // until end(), from any thread
//
// Thread safety: all members from any thread; run() once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admin/http/listen_address.hpp"
#include "admin/http/request.hpp"
#include "admin/http/service.hpp"
#include "admin/http/tls.hpp"
#include "admin/http/traffic.hpp"

namespace turnstile::admin {

struct http_settings {
    listen_address listen{};
    std::vector<std::string> names{};  // that this server has beside its address, without a port
    std::vector<http_header>
        headers{};            // of all answers; an answer's own header replaces its namesake
    std::size_t threads = 4;  // for answers that wait
    std::unique_ptr<const tls_context> tls{};  // without it connections are plain
};

class http_server {
public:
    // Listens. Throws std::runtime_error if the address cannot be had.
    explicit http_server(http_settings settings);
    ~http_server();
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;

    // The address with the port that was chosen.
    [[nodiscard]] const listen_address& address() const noexcept;
    // Answers until end(), which may come first. False if the listening socket failed.
    [[nodiscard]] bool run(http_service& service);
    // Accepts no more; run() returns after the answers that are under way.
    void end();
    // Asks each stream for its next part.
    void wake_streams();
    [[nodiscard]] http_traffic traffic() const;

private:
    class inside;
    const std::unique_ptr<inside> inside_;
};

}  // namespace turnstile::admin
