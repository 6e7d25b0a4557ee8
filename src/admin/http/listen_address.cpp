// SPDX-License-Identifier: Apache-2.0
#include "admin/http/listen_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace turnstile::admin {
namespace {

using address_bytes = std::array<unsigned char, 16>;

bool is_address(int family, const std::string& host, address_bytes& bytes) {
    return ::inet_pton(family, host.c_str(), bytes.data()) == 1;
}

}  // namespace

listen_address parse_listen_address(std::string_view text) {
    const std::runtime_error failure{std::string{text} +
                                     ": expected a numeric address and a port to listen on, such "
                                     "as 127.0.0.1:8088 or [::1]:8088"};
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) throw failure;
    auto host = text.substr(0, colon);
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    listen_address address{std::string{host}, 0};
    address_bytes bytes{};
    if (!is_address(bracketed ? AF_INET6 : AF_INET, address.host, bytes)) throw failure;
    const auto digits = text.substr(colon + 1);
    const auto* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, address.port);
    if (digits.empty() || read.ec != std::errc{} || read.ptr != end) throw failure;
    return address;
}

bool is_loopback(const listen_address& address) {
    address_bytes bytes{};
    if (is_address(AF_INET, address.host, bytes)) return bytes[0] == 127;
    constexpr address_bytes k_loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return is_address(AF_INET6, address.host, bytes) && bytes == k_loopback;
}

std::string to_string(const listen_address& address) {
    const bool six = address.host.find(':') != std::string::npos;
    return (six ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

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
