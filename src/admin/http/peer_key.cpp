// SPDX-License-Identifier: Apache-2.0
#include "admin/http/peer_key.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace turnstile::admin {

std::string peer_key(const std::string& address) {
    constexpr std::size_t k_prefix = 8;
    const auto plain = address.substr(0, address.find('%'));  // without the interface
    in6_addr six{};
    if (::inet_pton(AF_INET6, plain.c_str(), &six) != 1) return address;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (IN6_IS_ADDR_V4MAPPED(&six))
        return ::inet_ntop(AF_INET, &six.s6_addr[12], text.data(), text.size());
    std::fill(std::begin(six.s6_addr) + k_prefix, std::end(six.s6_addr), std::uint8_t{0});
    return std::string{::inet_ntop(AF_INET6, &six, text.data(), text.size())} + "/64";
}

}  // namespace turnstile::admin
