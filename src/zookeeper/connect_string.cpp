// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/connect_string.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/host_text.hpp"
#include "base/masked.hpp"
#include "base/path.hpp"

namespace turnstile::zookeeper {
namespace {

using base::printable;

error refused(std::string_view text, std::string_view rule) {
    return {errc::bad_connect_string, fmt::format("{}: {}", printable(base::masked(text)), rule)};
}

bool is_name_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

bool is_address_character(char c) noexcept {
    return is_name_character(c) || c == ':' || c == '%';
}

// Where host and port of "host:port" part; the end if there is no port.
std::size_t find_port(std::string_view item) noexcept {
    const auto colon = std::min(item.rfind(':'), item.size());
    const auto bracket = item.rfind(']');
    const bool inside = bracket != std::string_view::npos && colon < bracket;
    return inside ? item.size() : colon;
}

// Decimal digits only: the C client would take "0x885" and "04205", too.
bool parse_port(std::string_view digits, std::uint16_t& port) noexcept {
    const char* const end = digits.data() + digits.size();
    const bool plain = !digits.empty() && digits.front() >= '1' && digits.front() <= '9';
    const auto [stop, failure] = std::from_chars(digits.data(), end, port);
    return plain && failure == std::errc{} && stop == end;
}

// The rule that the host breaks, or an empty text; brackets are taken off.
std::string check_host(std::string_view& host) {
    if (host.empty()) return "has a port but no host";
    if (host.front() == '[') {
        if (host.size() < 3 || host.back() != ']') return "has an unfinished address in brackets";
        host = host.substr(1, host.size() - 2);
        const bool good = std::all_of(host.begin(), host.end(), is_address_character);
        return good ? "" : "has a character that no address has";
    }
    if (host.find(':') != std::string_view::npos) {
        return "has several colons: an IPv6 address stands in brackets, [::1]:2181";
    }
    const bool good = std::all_of(host.begin(), host.end(), is_name_character);
    return good ? "" : "has a character that no host name has";
}

result<server_address> parse_server(std::string_view text, std::string_view item) {
    const auto bad = [&](std::string_view rule) {
        return refused(text, fmt::format("server \"{}\" {}", base::quoted_part(text, item), rule));
    };
    if (item.empty()) return refused(text, "has an empty server between commas");
    const auto colon = find_port(item);
    server_address server{.host = {}, .port = k_default_port};
    if (colon != item.size() && !parse_port(item.substr(colon + 1), server.port)) {
        return bad("has a bad port: a number from 1 to 65535 is needed");
    }
    std::string_view host = item.substr(0, colon);
    if (const auto rule = check_host(host); !rule.empty()) return bad(rule);
    server.host = base::with_plain_zone(host);
    return server;
}

// "/x,b:2181/x": another server follows in what is taken for a path.
bool names_a_server(std::string_view chroot) {
    for (auto comma = chroot.find(','); comma != std::string_view::npos;
         comma = chroot.find(',', comma + 1)) {
        const auto rest = chroot.substr(comma + 1);
        const auto item = base::without_blanks(rest.substr(0, rest.find_first_of(",/")));
        if (item.find(':') != std::string_view::npos && parse_server(rest, item)) return true;
    }
    return false;
}

result<std::string> parse_chroot(std::string_view text, std::string_view chroot) {
    if (names_a_server(chroot)) {
        return refused(
            text,
            fmt::format("has \"{}\" behind its first server: one chroot stands behind the last "
                        "server, for all, host:port,host:port/chroot",
                        base::quoted_part(text, chroot)));
    }
    if (chroot.size() <= 1) return std::string{};
    if (const auto fault = base::chroot_fault(text, chroot); !fault.empty())
        return refused(text, fault);
    return std::string{chroot};
}

}  // namespace

result<connect_string> parse_connect_string(std::string_view text) {
    const auto slash = text.find('/');
    std::string_view hosts = text.substr(0, slash);
    if (base::without_blanks(hosts).empty())
        return refused(text, "names no server: write host[:port][,host[:port]]...");

    connect_string out;
    for (bool more = true; more;) {
        const auto comma = hosts.find(',');
        more = comma != std::string_view::npos;
        auto server = parse_server(text, base::without_blanks(hosts.substr(0, comma)));
        if (!server) return server.error();
        if (out.servers.size() == k_most_hosts) {
            return refused(text, fmt::format("names more than {} servers", k_most_hosts));
        }
        out.servers.push_back(*std::move(server));
        if (more) hosts.remove_prefix(comma + 1);
    }
    if (slash == std::string_view::npos) return out;
    auto chroot = parse_chroot(text, text.substr(slash));
    if (!chroot) return chroot.error();
    out.chroot = *std::move(chroot);
    return out;
}

std::string hosts_of(const connect_string& value, address_form form) {
    std::string out;
    for (const auto& [host, port] : value.servers) {
        const bool brackets =
            form == address_form::for_people && host.find(':') != std::string::npos;
        if (!out.empty()) out += ',';
        out += fmt::format("{}:{}", brackets ? "[" + host + "]" : host, port);
    }
    return out;
}

std::string to_string(const connect_string& value) {
    return hosts_of(value, address_form::for_people) + value.chroot;
}

}  // namespace turnstile::zookeeper
