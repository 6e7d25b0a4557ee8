// SPDX-License-Identifier: Apache-2.0
#include "redis/connect_string.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/masked.hpp"
#include "base/path.hpp"
#include "base/percent.hpp"

namespace turnstile::redis {
namespace {

using base::printable;

constexpr std::string_view k_scheme = "redis://";
constexpr int k_most_databases = 1 << 20;
constexpr int k_most_replicas = 1000;
constexpr std::size_t k_longest_tree = 64;

error refused(std::string_view text, std::string_view rule) {
    return {errc::bad_connect_string, fmt::format("{}: {}", printable(base::masked(text)), rule)};
}

bool is_word_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

bool is_address_character(char c) noexcept {
    return is_word_character(c) || c == ':' || c == '%';
}

template <class Number>
std::optional<Number> plain_number(std::string_view digits) noexcept {
    Number value{};
    const char* const end = digits.data() + digits.size();
    const auto [stop, failure] = std::from_chars(digits.data(), end, value);
    const bool plain = !digits.empty() && digits.front() >= '0' && digits.front() <= '9';
    if (!plain || failure != std::errc{} || stop != end) return std::nullopt;
    return value;
}

// An empty text, or the rule that is broken.
std::string parse_user(std::string_view text, connect_string& out) {
    const auto colon = std::min(text.find(':'), text.size());
    const auto user = base::percent_decoded(text.substr(0, colon));
    const auto password = base::percent_decoded(text.substr(std::min(colon + 1, text.size())));
    if (!user || !password)
        return "has a '%' in user or password that two hex digits do not follow";
    if (password->empty()) return "has a user but no password: write user:password@";
    out.user = *user;
    out.password = *password;
    return {};
}

std::string parse_host(std::string_view text, connect_string& out) {
    const auto bracket = text.rfind(']');
    const auto colon = text.rfind(':');
    const bool has_port =
        colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    std::string_view host = has_port ? text.substr(0, colon) : text;
    if (has_port) {
        const auto port = plain_number<std::uint16_t>(text.substr(colon + 1));
        if (!port || *port == 0) return "has a bad port: a number from 1 to 65535 is needed";
        out.port = *port;
    }
    if (host.find(',') != std::string_view::npos)
        return "names several servers: redis:// takes one";
    if (host.starts_with('[')) {
        if (host.size() < 3 || host.back() != ']') return "has an unfinished address in brackets";
        host = host.substr(1, host.size() - 2);
        if (!std::all_of(host.begin(), host.end(), is_address_character))
            return "has a character that no address has";
    } else if (host.find(':') != std::string_view::npos) {
        return "has several colons: an IPv6 address stands in brackets, [::1]:6379";
    } else if (!std::all_of(host.begin(), host.end(), is_word_character)) {
        return "has a character that no host name has";
    }
    if (host.empty()) return "names no host: write redis://host:port";
    out.host = host;
    return {};
}

std::string parse_option(std::string_view option, connect_string& out) {
    const auto equals = std::min(option.find('='), option.size());
    const auto name = option.substr(0, equals);
    const auto value = option.substr(std::min(equals + 1, option.size()));
    if (name == "db") {
        const auto number = plain_number<int>(value);
        if (!number || *number >= k_most_databases)
            return fmt::format("db={}: a number from 0 is needed", value);
        out.database = *number;
        return {};
    }
    if (name == "tree") {
        if (value.empty() || value.size() > k_longest_tree ||
            !std::all_of(value.begin(), value.end(), is_word_character))
            return fmt::format("tree={}: 1 to {} letters, digits, '.', '-', '_' are needed", value,
                               k_longest_tree);
        out.tree = value;
        return {};
    }
    if (name == "wait") {
        const auto number = plain_number<int>(value);
        if (!number || *number > k_most_replicas)
            return fmt::format("wait={}: a number of replicas is needed", value);
        out.wait = *number;
        return {};
    }
    return fmt::format("has the option '{}'; there are db, tree and wait", name);
}

}  // namespace

result<connect_string> parse_connect_string(std::string_view text) {
    if (text.starts_with("rediss://"))
        return refused(text, "this build has no TLS for Redis; redis:// is without it");
    if (text.starts_with("redis+sentinel://"))
        return refused(text, "Sentinel is not supported; name the master: redis://host:port");
    if (!text.starts_with(k_scheme)) return refused(text, "does not begin with redis://");
    auto rest = text.substr(k_scheme.size());
    connect_string out;
    const auto question = std::min(rest.find('?'), rest.size());
    auto options = rest.substr(std::min(question + 1, rest.size()));
    rest = rest.substr(0, question);
    const auto slash = std::min(rest.find('/'), rest.size());
    const auto chroot = rest.substr(slash);
    auto where = rest.substr(0, slash);
    std::string rule;
    if (const auto at = where.rfind('@'); at != std::string_view::npos) {
        rule = parse_user(where.substr(0, at), out);
        where = where.substr(at + 1);
    }
    if (rule.empty()) rule = parse_host(where, out);
    if (rule.empty() && chroot.size() > 1) {
        if (const auto valid = base::validate_path(chroot); !valid)
            rule = "has a chroot that is a " + valid.error().message();
        out.chroot = chroot;
    }
    while (rule.empty() && !options.empty()) {
        const auto end = std::min(options.find('&'), options.size());
        rule = parse_option(options.substr(0, end), out);
        options = options.substr(std::min(end + 1, options.size()));
    }
    if (!rule.empty()) return refused(text, rule);
    return out;
}

std::string address_of(const connect_string& value) {
    const bool brackets = value.host.find(':') != std::string::npos;
    return fmt::format("{}:{}", brackets ? '[' + value.host + ']' : value.host, value.port);
}

std::string to_string(const connect_string& value) {
    std::string query;
    if (value.database != 0) query += fmt::format("db={}", value.database);
    if (!value.tree.empty())
        query += fmt::format("{}tree={}", query.empty() ? "" : "&", value.tree);
    if (value.wait != 0) query += fmt::format("{}wait={}", query.empty() ? "" : "&", value.wait);
    return fmt::format("{}{}{}{}{}", k_scheme, address_of(value), value.chroot,
                       query.empty() ? "" : "?", query);
}

std::string key_prefix(const connect_string& value) {
    return value.tree.empty() ? "{turnstile}" : "{turnstile:" + value.tree + "}";
}

}  // namespace turnstile::redis
