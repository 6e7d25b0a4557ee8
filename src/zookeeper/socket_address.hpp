// SPDX-License-Identifier: Apache-2.0
// socket_address: a server's address for sockets, with its settings for TLS and SASL, and the address as text.
//
// Thread safety: a value.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <string>

#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

struct socket_address {
    sockaddr_storage storage{};
    socklen_t length = 0;  // 0: no address
    std::string host{};    // the name that was resolved, which the certificate must contain
    std::shared_ptr<const server_security> security{};  // null: without TLS and SASL
};

// Returns "192.0.2.1:2181" or "[2001:db8::1]:2181"; empty if there is no address.
[[nodiscard]] std::string to_string(const socket_address& address, address_form form);

}  // namespace turnstile::zookeeper
