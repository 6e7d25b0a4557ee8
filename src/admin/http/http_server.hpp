// SPDX-License-Identifier: Apache-2.0
// http_server: cpp-httplib's server with limits on what a connection may use, and an end that comes at once.
//
// Thread safety: end() from any thread; what is set before listen_after_bind() stays.
#pragma once

#include <httplib.h>

#include <memory>
#include <mutex>
#include <set>

#include "admin/http/listen_address.hpp"
#include "admin/http/tls.hpp"

namespace turnstile::admin {

class http_server : public httplib::Server {
public:
    // Without `tls` connections are plain.
    explicit http_server(std::unique_ptr<const tls_context> tls);

    // The address with the port that was chosen. Throws std::runtime_error if it cannot be had.
    [[nodiscard]] listen_address bind(listen_address address);
    // Accepts no more, and shuts the connections that there are: the threads on them come back.
    void end();
    [[nodiscard]] std::size_t connections() const;
    // The answer that this thread gives now is the last one of its connection: what comes behind the request may be its
    // body, which was not read, and is no request.
    static void close_after_this() noexcept;

private:
    bool process_and_close_socket(socket_t socket) override;
    bool admit(socket_t socket);
    void dismiss(socket_t socket);
    void answer(socket_t socket);

    const std::unique_ptr<const tls_context> tls_;
    mutable std::mutex mutex_;
    std::set<socket_t> open_;
    bool over_ = false;
};

}  // namespace turnstile::admin
