// SPDX-License-Identifier: Apache-2.0
// tunnel_relay: forwards bytes between a local connection, which this process must have made, and a server with TLS,
// without blocking.
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

// True if this process itself made the connection that it accepted at a loopback port. Any user of the machine can
// connect to such a port, and a TCP connection does not name its user. But if this process made the connection, it has
// the other end among its descriptors. From any thread.
//
// `accepted`: an accepted IPv4 connection. Returns false if another process made the connection, or if this process has
// closed the other end. Looks at all descriptors of this process; without /proc, at the first 65,536.
[[nodiscard]] bool is_own_connection(int accepted) noexcept;

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
