// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/socket_address.hpp"

#include <fmt/core.h>
#include <netdb.h>

#include <array>

namespace turnstile::zookeeper {

std::string to_string(const socket_address& address, address_form form) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    const auto* from = reinterpret_cast<const sockaddr*>(&address.storage);
    if (address.length == 0 ||
        ::getnameinfo(from, address.length, host.data(), host.size(), port.data(), port.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return {};
    }
    const bool brackets = form == address_form::for_people && address.storage.ss_family == AF_INET6;
    return brackets ? fmt::format("[{}]:{}", host.data(), port.data())
                    : fmt::format("{}:{}", host.data(), port.data());
}

}  // namespace turnstile::zookeeper
