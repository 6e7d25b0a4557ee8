// SPDX-License-Identifier: Apache-2.0
#include "redis/server_address.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/host_text.hpp"

namespace turnstile::redis {
namespace {

constexpr std::size_t k_longest_host = 253;  // longest name, in bytes; an address is shorter

bool is_address_character(char c) noexcept {
    return is_word_character(c) || c == ':' || c == '%';
}

bool is_address(std::string_view host) noexcept {
    return std::all_of(host.begin(), host.end(), is_address_character);
}

// True for an IPv6 address without brackets, an IPv4 address, or a name.
bool is_host(std::string_view host) noexcept {
    return host.find(':') != std::string_view::npos ? is_address(host) : is_word(host);
}

}  // namespace

std::string to_string(const server_address& address) {
    const bool brackets = address.host.find(':') != std::string::npos;
    return fmt::format("{}:{}", brackets ? '[' + address.host + ']' : address.host, address.port);
}

std::string parse_address(std::string_view item, std::uint16_t default_port, server_address& out) {
    const auto text = base::without_blanks(item);
    if (base::has_other_separator(text)) return base::k_other_separator;
    const auto bracket = text.rfind(']');
    const auto colon = text.rfind(':');
    const bool has_port =
        colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    std::string_view host = has_port ? text.substr(0, colon) : text;
    out.port = default_port;
    if (has_port) {
        const auto port = plain_number<std::uint16_t>(text.substr(colon + 1));
        if (!port || *port == 0) return "has a bad port: a number from 1 to 65535 is needed";
        out.port = *port;
    }
    if (host.starts_with('[')) {
        if (host.size() < 3 || host.back() != ']') return "has an unfinished address in brackets";
        host = host.substr(1, host.size() - 2);
        if (!is_address(host)) return "has a character that no address has";
    } else if (host.find(':') != std::string_view::npos) {
        return "has several colons: an IPv6 address needs brackets, [::1]:6379";
    } else if (!is_word(host)) {
        return "has a character that no host name has";
    }
    if (host.empty()) return "names no host: write host:port";
    out.host = base::with_plain_zone(host);
    return {};
}

std::optional<server_address> claimed_address(std::string_view host, std::string_view port) {
    const auto number = plain_number<std::uint16_t>(port);
    if (!number || *number == 0 || host.empty() || host.size() > k_longest_host || !is_host(host))
        return std::nullopt;
    return server_address{base::with_plain_zone(host), *number};
}

}  // namespace turnstile::redis
