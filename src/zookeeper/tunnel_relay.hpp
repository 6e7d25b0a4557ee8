// SPDX-License-Identifier: Apache-2.0
// tunnel_relay: forwards bytes between a local connection and a server with TLS, without blocking.
//
//     relay.wishes() -> poll() -> relay.move(), until that is false
//
// Each direction holds k_room bytes at most. If one side does not read, the relay stops reading the other side, as a
// socket would. When one side ends, the relay first forwards the bytes before the end, and then the end.
//
// Thread safety: one thread at a time.
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "support/descriptor.hpp"
#include "zookeeper/byte_stream.hpp"

namespace turnstile::zookeeper {

class tunnel_relay {
public:
    // `link`: its TLS handshake is done. `name`: the server's name, for reason(). `inward`: bytes that were already
    // read from the server.
    tunnel_relay(support::descriptor local, std::unique_ptr<tls_stream> link, std::string name,
                 std::string inward);

    [[nodiscard]] std::array<pollfd, 2> wishes() const noexcept;
    // Forwards bytes as far as possible without waiting. Returns false if nothing remains to be forwarded, because the
    // local connection or the server's connection has ended.
    [[nodiscard]] bool move();
    // Forwards the remaining bytes of the local connection to the server, for a second at most. Call this before the
    // destructor, which closes both connections.
    void end();
    // Returns the reason if the connection to the server failed; empty after an orderly end.
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
    static constexpr std::size_t k_room = std::size_t{64} << 10U;

    [[nodiscard]] bool read_local();
    [[nodiscard]] bool write_local();
    [[nodiscard]] bool read_server();
    [[nodiscard]] bool write_server();

    support::descriptor local_;
    std::unique_ptr<tls_stream> link_;
    const std::string name_;
    std::string outward_;  // to the server
    std::string inward_;
    bool local_ended_ = false;
    bool server_ended_ = false;
    std::string reason_;
};

}  // namespace turnstile::zookeeper
