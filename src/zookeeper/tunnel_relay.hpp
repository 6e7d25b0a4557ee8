// SPDX-License-Identifier: Apache-2.0
// tunnel_relay: forwards bytes between one local connection and one server over TLS, without blocking.
//
//     relay.wishes() -> poll() -> relay.move(), until that is false
//
// Each direction holds k_room bytes at most; a side that does not read stops the other one, as a socket would. The
// end of one side is forwarded once the bytes before it are.
//
// Thread safety: one thread.
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
    // `link`: TLS is agreed on. `name`: of the server, for reason(). `inward`: bytes of the server that were read already.
    tunnel_relay(support::descriptor local, std::unique_ptr<tls_stream> link, std::string name,
                 std::string inward);

    [[nodiscard]] std::array<pollfd, 2> wishes() const noexcept;
    // Proceeds as far as possible without waiting. Returns false if both sides have ended.
    [[nodiscard]] bool move();
    // Forwards the local side's output, for a second at most; then both sides end.
    void end();
    // The reason if the server's side failed; empty for an orderly end.
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
