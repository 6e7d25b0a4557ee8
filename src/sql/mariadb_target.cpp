// SPDX-License-Identifier: Apache-2.0
#include "sql/mariadb_target.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/host_text.hpp"
#include "base/masked.hpp"
#include "base/percent.hpp"

namespace turnstile::sql {
namespace {

constexpr std::array<std::string_view, 2> k_mariadb{"mysql://", "mariadb://"};
constexpr std::array<std::string_view, 15> k_parameters{
    "socket",  "defaults_file",    "defaults_group", "ssl",
    "ssl_ca",  "ssl_capath",       "ssl_fp",         "ssl_cert",
    "ssl_key", "ssl_key_password", "ssl_cipher",     "ssl_verify_server_cert",
    "ssl_crl", "ssl_crlpath",      "tls_version"};
// With ssl_verify_server_cert=false libmariadb accepts a connection without TLS, or an unverified server.
constexpr const char* k_unverified =
    "ssl_verify_server_cert=false lets an attacker between client and server read and change "
    "everything in spite of TLS: name the server's certificate with ssl_ca or ssl_fp";
// MariaDB's limit for a name, in characters.
constexpr std::size_t k_longest_name = 64;

error refused(std::string rule) {
    return {errc::bad_connect_string, std::move(rule)};
}

std::string_view take_until(std::string_view& text, char mark) {
    const auto end = std::min(text.find(mark), text.size());
    const auto part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

bool is_known(std::string_view name) {
    return std::find(k_parameters.begin(), k_parameters.end(), name) != k_parameters.end();
}

// Returns the parameter's name, quoted for a message. Returns an empty text for an invalid name, which may be part of
// an unescaped password.
std::string shown(std::string_view whole, std::string_view name) {
    const bool plain = std::all_of(name.begin(), name.end(),
                                   [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); });
    return plain ? fmt::format(" '{}'", base::quoted_part(whole, name)) : std::string{};
}

result<void> parse_parameter(std::string_view whole, std::string_view text, mariadb_target& out) {
    const auto name = take_until(text, '=');
    if (!is_known(name))
        return refused(
            fmt::format("has a parameter{} that Turnstile does not know", shown(whole, name)));
    const auto value = base::percent_decoded(text);
    if (!value || value->empty())
        return refused(fmt::format("{} needs a value; a '%' in it is written %25", name));
    const bool is_switch = name == "ssl" || name == "ssl_verify_server_cert";
    if (is_switch && value != "true" && value != "false")
        return refused(fmt::format("{} must be true or false", name));
    if (name == "ssl_verify_server_cert" && value == "false") return refused(k_unverified);
    if (!out.parameters.emplace(name, *value).second)
        return refused(fmt::format("has {} twice", name));
    return {};
}

result<mariadb_host> parse_host(std::string_view text) {
    if (base::has_other_separator(text)) return refused(base::k_other_separator);
    mariadb_host out;
    std::string_view port;
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos) return refused("has an unfinished address in brackets");
        out.name = base::with_plain_zone(text.substr(1, end - 1));
        port = text.substr(end + 1);
    } else {
        const auto end = std::min(text.find(':'), text.size());
        out.name = text.substr(0, end);
        port = text.substr(end);
        if (port.find(':', 1) != std::string_view::npos)
            return refused("has several colons: an IPv6 address needs brackets, [::1]:3306");
    }
    if (out.name.empty()) return refused("has a host without a name");
    if (port.empty()) return out;
    const char* const end = port.data() + port.size();
    const auto [stop, failed] = std::from_chars(port.data() + 1, end, out.port);
    if (port.front() != ':' || failed != std::errc{} || stop != end || out.port == 0)
        return refused("has a bad port: a number from 1 to 65535 is needed");
    return out;
}

result<void> parse_user(std::string_view text, mariadb_target& out) {
    const auto user = base::percent_decoded(take_until(text, ':'));
    const auto password = base::percent_decoded(text);
    if (!user || !password)
        return refused("has a '%' in the user or the password without two hex digits after it");
    out.user = *user;
    out.password = *password;
    return {};
}

}  // namespace

std::string mariadb_target::parameter(const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string{} : found->second;
}

// True if the parameter `ssl` is "true", or if it is missing and another TLS parameter is present.
bool mariadb_target::encrypted() const {
    if (const auto said = parameter("ssl"); !said.empty()) return said == "true";
    return std::any_of(parameters.begin(), parameters.end(), [](const auto& each) {
        return each.first.starts_with("ssl_") || each.first == "tls_version";
    });
}

bool is_mariadb(std::string_view connect_string) noexcept {
    return connect_string.starts_with(k_mariadb[0]) || connect_string.starts_with(k_mariadb[1]);
}

result<mariadb_target> parse_mariadb_target(std::string_view connect_string) {
    mariadb_target out;
    std::string_view rest = connect_string.substr(connect_string.find("://") + 3);
    std::string_view address = take_until(rest, '?');
    if (const auto at = address.rfind('@'); at != std::string_view::npos) {
        if (const auto good = parse_user(address.substr(0, at), out); !good) return good.error();
        address.remove_prefix(at + 1);
    }
    std::string_view hosts = take_until(address, '/');
    const auto database = base::percent_decoded(address);
    if (!database || database->empty() || database->find('/') != std::string::npos ||
        database->size() > k_longest_name)
        return refused("needs one database after the host: mysql://user@host:3306/database");
    out.database = *database;
    while (!rest.empty())
        if (const auto good = parse_parameter(connect_string, take_until(rest, '&'), out); !good)
            return good.error();
    while (!hosts.empty()) {
        auto host = parse_host(take_until(hosts, ','));
        if (!host) return host.error();
        out.hosts.push_back(std::move(*host));
    }
    if (out.parameters.contains("socket")) {
        if (out.hosts.size() > 1)
            return refused("has a socket and several hosts, but a socket leads to one server only");
        out.hosts.clear();
    }
    return out;
}

std::string normal_mariadb(std::string_view connect_string) {
    return std::string{k_mariadb[0]} +
           std::string{connect_string.substr(connect_string.find("://") + 3)};
}

}  // namespace turnstile::sql
