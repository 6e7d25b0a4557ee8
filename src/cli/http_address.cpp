// SPDX-License-Identifier: Apache-2.0
#include "cli/http_address.hpp"

#include <charconv>

namespace turnstile::cli {

std::optional<http_address> parse_http_address(std::string_view text) {
    http_address address;
    const auto colon = text.rfind(':');
    const auto digits = colon == std::string_view::npos ? text : text.substr(colon + 1);
    auto host = colon == std::string_view::npos ? std::string_view{} : text.substr(0, colon);
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, address.port);
    if (digits.empty() || read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    // Refuses an IPv6 address without brackets, because its last part could be a port.
    if (!bracketed && host.find_first_of(":[]") != std::string_view::npos) return std::nullopt;
    if (!host.empty()) address.host = host;
    return address;
}

std::string to_string(const http_address& address) {
    const bool brackets = address.host.find(':') != std::string::npos;
    return (brackets ? "[" + address.host + "]" : address.host) + ":" +
           std::to_string(address.port);
}

}  // namespace turnstile::cli
