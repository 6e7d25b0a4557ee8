// SPDX-License-Identifier: Apache-2.0
// socket_address: an address of a server as sockets have it, how to speak to it, and the address as text.
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
    socklen_t length = 0;  // 0: none
    std::string host{};    // by which it was found; what its certificate has to name
    std::shared_ptr<const tls::settings> security{};  // null: without TLS
};

// "192.0.2.1:2181" or "[2001:db8::1]:2181"; empty for none.
[[nodiscard]] std::string to_string(const socket_address& address, address_form form);

}  // namespace turnstile::zookeeper
