// SPDX-License-Identifier: Apache-2.0
#include "redis/connect_string.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/masked.hpp"
#include "base/path.hpp"
#include "base/percent.hpp"
#include "redis/server_address.hpp"

namespace turnstile::redis {
namespace {

using base::refused_connect_string;

struct scheme {
    std::string_view prefix;
    bool sentinels;
    bool tls;
};
constexpr std::array<scheme, 4> k_schemes{{{"redis://", false, false},
                                           {"rediss://", false, true},
                                           {"redis+sentinel://", true, false},
                                           {"rediss+sentinel://", true, true}}};
constexpr int k_most_databases = 1 << 20;
constexpr int k_most_replicas = 1000;
constexpr int k_longest_stay = 24 * 3600;
constexpr std::size_t k_longest_tree = 64;

// Returns the text before `mark`, and removes that text and the mark from `text`.
std::string_view cut(std::string_view& text, char mark) {
    const auto end = std::min(text.find(mark), text.size());
    const auto part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

// This function and the following parsers return an empty text, or the rule that the connect string violates.
std::string parse_login(std::string_view text, redis_address& out) {
    const auto user = base::percent_decoded(cut(text, ':'));
    const auto password = base::percent_decoded(text);
    if (!user || !password)
        return "has a '%' in the user or the password without two hex digits after it";
    if (password->empty()) return "has a user but no password: write user:password@";
    out.login = {*user, *password};
    return {};
}

std::string parse_servers(std::string_view text, bool sentinels, redis_address& out) {
    if (text.ends_with(',')) return "names no host after its last comma";
    const auto port = sentinels ? k_default_sentinel_port : k_default_port;
    do {
        server_address address;
        if (auto rule = parse_address(cut(text, ','), port, address); !rule.empty()) return rule;
        out.servers.push_back(std::move(address));
    } while (!text.empty());
    return {};
}

// `path` is a view into `text`. It begins with the slash after the servers, or is empty.
std::string parse_path(std::string_view text, std::string_view path, bool sentinels,
                       redis_address& out) {
    if (sentinels) {
        if (!path.empty()) path.remove_prefix(1);
        const auto name = path.substr(0, path.find('/'));
        if (name.empty())
            return "names no master: write redis+sentinel://host:port/name-of-the-master";
        if (!is_word(name)) return "has a character that the name of a master cannot have";
        out.master = name;
        path.remove_prefix(name.size());
    }
    if (path.size() < 2) return {};
    // In other programs' URLs, a number as the path selects a database. The message does not show the path, which may
    // belong to a password.
    if (plain_number<int>(path.substr(1)))
        return "has a number as its path, which does not select a database: write ?db=NUMBER";
    // An '@' in the path means that the password contains an unescaped '/', as in redis://user:1/rest@host.
    if (path.find('@') != std::string_view::npos)
        return "has an '@' in its path: write a '/' in a password as %2F, and an '@' as %40";
    if (auto fault = base::chroot_fault(text, path); !fault.empty()) return fault;
    out.chroot = path;
    return {};
}

std::string set_database(std::string_view value, redis_address& out) {
    const auto number = plain_number<int>(value);
    if (!number || *number >= k_most_databases)
        return "the number of a database, from 0 on, is needed";
    out.database = *number;
    return {};
}

std::string set_tree(std::string_view value, redis_address& out) {
    if (value.empty() || value.size() > k_longest_tree || !is_word(value))
        return fmt::format("1 to {} letters, digits, '.', '-', '_' are needed", k_longest_tree);
    out.tree = value;
    return {};
}

std::string set_wait(std::string_view value, redis_address& out) {
    const auto number = plain_number<int>(value);
    if (!number || *number > k_most_replicas) return "a number of replicas is needed";
    out.wait = *number;
    return {};
}

std::string set_decoded(std::string_view name, std::string_view value, std::string& out) {
    const auto decoded = base::percent_decoded(value);
    if (!decoded) return fmt::format("{} has a '%' without two hex digits after it", name);
    if (decoded->empty()) return fmt::format("{} is empty", name);
    out = *decoded;
    return {};
}

std::string set_verify(std::string_view value, redis_address& out) {
    constexpr std::array<std::pair<std::string_view, tls::verification>, 3> k_values{
        {{"full", tls::verification::full},
         {"ca", tls::verification::authority},
         {"none", tls::verification::none}}};
    for (const auto& [name, meaning] : k_values) {
        if (value != name) continue;
        out.tls.verify = meaning;
        return {};
    }
    return "must be full, ca or none";
}

std::string set_stay_out(std::string_view value, redis_address& out) {
    const auto number = plain_number<int>(value);
    if (!number || *number == 0 || *number > k_longest_stay)
        return fmt::format("a number of seconds from 1 to {} is needed", k_longest_stay);
    out.stay_out = *number;
    return {};
}

// Parses a text option of Sentinel or TLS. Returns nothing for any other option.
std::optional<std::string> parse_special(std::string_view name, std::string_view value,
                                         redis_address& out) {
    auto& sentinel = out.sentinel_login;
    if (name == "sentinel_username" || name == "sentinel_password") {
        if (!out.has_sentinels())
            return fmt::format(
                "has the option {}, which only redis+sentinel:// and rediss+sentinel:// have",
                name);
        return set_decoded(name, value,
                           name == "sentinel_username" ? sentinel.user : sentinel.password);
    }
    if (name != "ca_file" && name != "cert_file" && name != "key_file") return std::nullopt;
    if (!out.tls.enabled)
        return fmt::format("has the option {}, which only rediss:// and rediss+sentinel:// have",
                           name);
    if (name == "ca_file") return set_decoded(name, value, out.tls.ca_file);
    return set_decoded(name, value, name == "cert_file" ? out.tls.cert_file : out.tls.key_file);
}

struct option_rule {
    std::string_view name;
    std::string (*set)(std::string_view value, redis_address& out);
};
constexpr std::array<option_rule, 5> k_options{{{"db", set_database},
                                                {"tree", set_tree},
                                                {"wait", set_wait},
                                                {"stay_out", set_stay_out},
                                                {"verify", set_verify}}};

// `option` is a view into `text`.
std::string parse_option(std::string_view text, std::string_view option, redis_address& out) {
    const auto name = cut(option, '=');
    if (name == "verify" && !out.tls.enabled)
        return "has the option verify, which only rediss:// and rediss+sentinel:// have";
    for (const auto& each : k_options) {
        if (each.name != name) continue;
        const auto rule = each.set(option, out);
        if (rule.empty()) return {};
        return fmt::format("{}={}: {}", name, base::quoted_part(text, option), rule);
    }
    if (auto rule = parse_special(name, option, out)) return *std::move(rule);
    return fmt::format(
        "has the unknown option '{}'; the options are db, tree, wait and stay_out, with "
        "redis+sentinel:// also sentinel_username and sentinel_password, with rediss:// also "
        "ca_file, cert_file, key_file and verify",
        base::quoted_part(text, name));
}

std::string parse_options(std::string_view text, std::string_view options, redis_address& out) {
    std::set<std::string_view> names;
    while (!options.empty()) {
        auto option = cut(options, '&');
        if (auto rule = parse_option(text, option, out); !rule.empty()) return rule;
        const auto name = cut(option, '=');
        if (!names.insert(name).second) return fmt::format("has {} twice", name);
    }
    if (!out.sentinel_login.user.empty() && out.sentinel_login.password.empty())
        return "has a sentinel_username but no sentinel_password";
    if (out.tls.cert_file.empty() != out.tls.key_file.empty())
        return "has only one of cert_file and key_file: a certificate needs its key";
    return {};
}

std::string parse(std::string_view text, const scheme& as, redis_address& out) {
    auto rest = text.substr(as.prefix.size());
    auto where = cut(rest, '?');
    const auto options = rest;
    const auto slash = std::min(where.find('/'), where.size());
    const auto path = where.substr(slash);
    where = where.substr(0, slash);
    if (const auto at = where.rfind('@'); at != std::string_view::npos) {
        if (auto rule = parse_login(where.substr(0, at), out); !rule.empty()) return rule;
        where = where.substr(at + 1);
    }
    if (auto rule = parse_servers(where, as.sentinels, out); !rule.empty()) return rule;
    if (auto rule = parse_path(text, path, as.sentinels, out); !rule.empty()) return rule;
    return parse_options(text, options, out);
}

}  // namespace

result<redis_address> parse_connect_string(std::string_view text) {
    const auto found = std::find_if(k_schemes.begin(), k_schemes.end(), [&](const scheme& each) {
        return text.starts_with(each.prefix);
    });
    if (found == k_schemes.end())
        return refused_connect_string(text,
                                      "begins neither with redis:// nor with redis+sentinel://");
    if (found->tls && !tls::has_tls())
        return refused_connect_string(text, "this build has no TLS for Redis (TURNSTILE_WITH_TLS)");
    redis_address out;
    out.tls.enabled = found->tls;
    if (const auto rule = parse(text, *found, out); !rule.empty())
        return refused_connect_string(text, rule);
    return out;
}

std::string to_string(const redis_address& value) {
    const auto found = std::find_if(k_schemes.begin(), k_schemes.end(), [&](const scheme& each) {
        return each.sentinels == value.has_sentinels() && each.tls == value.tls.enabled;
    });
    std::string text{found->prefix};
    for (const auto& server : value.servers) text += to_string(server) + ',';
    text.pop_back();
    if (value.has_sentinels()) text += '/' + value.master;
    text += value.chroot;
    char separator = '?';
    const auto add = [&](std::string_view name, const std::string& option) {
        text += std::exchange(separator, '&');
        text.append(name).append("=").append(option);
    };
    if (value.database != 0) add("db", std::to_string(value.database));
    if (!value.tree.empty()) add("tree", value.tree);
    if (value.wait != 0) add("wait", std::to_string(value.wait));
    if (value.stay_out != 0) add("stay_out", std::to_string(value.stay_out));
    return text;
}

std::string key_prefix(const redis_address& value) {
    return value.tree.empty() ? "{turnstile}" : "{turnstile:" + value.tree + "}";
}

}  // namespace turnstile::redis
