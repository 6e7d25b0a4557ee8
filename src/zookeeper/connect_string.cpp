// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/connect_string.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include "base/host_text.hpp"
#include "base/masked.hpp"
#include "base/path.hpp"
#include "base/percent.hpp"

namespace turnstile::zookeeper {
namespace {

using base::refused_connect_string;

bool is_name_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

bool is_address_character(char c) noexcept {
    return is_name_character(c) || c == ':' || c == '%';
}

// Returns the position of the colon before the port, or the length of the text if there is no port.
std::size_t find_port(std::string_view item) noexcept {
    const auto colon = std::min(item.rfind(':'), item.size());
    const auto bracket = item.rfind(']');
    const bool inside = bracket != std::string_view::npos && colon < bracket;
    return inside ? item.size() : colon;
}

// Accepts only decimal digits, while the C client would also accept "0x885" and "04205".
bool parse_port(std::string_view digits, std::uint16_t& port) noexcept {
    const char* const end = digits.data() + digits.size();
    const bool plain = !digits.empty() && digits.front() >= '1' && digits.front() <= '9';
    const auto [stop, failure] = std::from_chars(digits.data(), end, port);
    return plain && failure == std::errc{} && stop == end;
}

// Removes brackets from the host. Returns the rule that the host breaks, or an empty text.
std::string check_host(std::string_view& host) {
    if (host.empty()) return "has a port but no host";
    if (host.front() == '[') {
        if (host.size() < 3 || host.back() != ']') return "has an unfinished address in brackets";
        host = host.substr(1, host.size() - 2);
        const bool good = std::all_of(host.begin(), host.end(), is_address_character);
        return good ? "" : "has a character that no address has";
    }
    if (host.find(':') != std::string_view::npos) {
        return "has several colons: an IPv6 address needs brackets, [::1]:2181";
    }
    const bool good = std::all_of(host.begin(), host.end(), is_name_character);
    return good ? "" : "has a character that no host name has";
}

result<ensemble_server> parse_server(std::string_view text, std::string_view item,
                                     std::uint16_t default_port) {
    const auto bad = [&](std::string_view rule) {
        return refused_connect_string(
            text, fmt::format("server \"{}\" {}", base::quoted_part(text, item), rule));
    };
    if (item.empty()) return refused_connect_string(text, "has an empty server between commas");
    if (base::has_other_separator(item)) return bad(base::k_other_separator);
    const auto colon = find_port(item);
    ensemble_server server{.host = {}, .port = default_port};
    if (colon != item.size() && !parse_port(item.substr(colon + 1), server.port)) {
        return bad("has a bad port: a number from 1 to 65535 is needed");
    }
    std::string_view host = item.substr(0, colon);
    if (const auto rule = check_host(host); !rule.empty()) return bad(rule);
    server.host = base::with_plain_zone(host);
    return server;
}

// True if another server follows the path, as in "/x,b:2181/x".
bool names_a_server(std::string_view chroot) {
    for (auto comma = chroot.find(','); comma != std::string_view::npos;
         comma = chroot.find(',', comma + 1)) {
        const auto rest = chroot.substr(comma + 1);
        const auto item = base::without_blanks(rest.substr(0, rest.find_first_of(",/")));
        if (item.find(':') != std::string_view::npos && parse_server(rest, item, k_default_port))
            return true;
    }
    return false;
}

result<std::string> parse_chroot(std::string_view text, std::string_view chroot) {
    if (names_a_server(chroot)) {
        return refused_connect_string(
            text,
            fmt::format("has \"{}\" after its first server: the chroot of all servers comes after "
                        "the last server, host:port,host:port/chroot",
                        base::quoted_part(text, chroot)));
    }
    // An '@' in the chroot may come from a password that has a '/' without escaping ("user:1/rest@host"), in a connect
    // string whose scheme is missing or misspelt.
    if (chroot.find('@') != std::string_view::npos)
        return refused_connect_string(
            text,
            "has an '@' in its chroot: a user and a password are for schemes like redis://, and a "
            "'/' in a password is written %2F");
    if (chroot.size() <= 1) return std::string{};
    if (const auto fault = base::chroot_fault(text, chroot); !fault.empty())
        return refused_connect_string(text, fault);
    return std::string{chroot};
}

// The functions below return an empty text, or the rule that the connect string breaks.

std::string set_verification(std::string_view text, std::string_view value, tls::settings& out) {
    constexpr std::array<std::pair<std::string_view, tls::verification>, 3> k_values{
        {{"full", tls::verification::full},
         {"ca", tls::verification::authority},
         {"none", tls::verification::none}}};
    for (const auto& [name, meaning] : k_values) {
        if (value != name) continue;
        out.verify = meaning;
        return {};
    }
    return fmt::format("verify={}: must be full, ca or none", base::quoted_part(text, value));
}

std::string set_mechanism(std::string_view text, std::string_view value, sasl_options& out) {
    for (const auto each : {sasl_mechanism::digest_md5, sasl_mechanism::gssapi}) {
        if (value != tls::name_of(each)) continue;
        out.mechanism = each;
        return {};
    }
    return fmt::format("sasl_mechanism={}: must be DIGEST-MD5 or GSSAPI",
                       base::quoted_part(text, value));
}

struct text_option {
    std::string_view name;
    std::string* place;
};

// Returns all options except `verify` and `sasl_mechanism`. Without TLS, returns only the options of SASL.
std::vector<text_option> text_options(server_security& out) {
    std::vector<text_option> all{{"sasl_user", &out.sasl.user},
                                 {"sasl_password_file", &out.sasl.password_file},
                                 {"sasl_service", &out.sasl.service},
                                 {"sasl_server_name", &out.sasl.server_name}};
    if (out.tls.enabled)
        all.insert(all.begin(), {{"ca_file", &out.tls.ca_file},
                                 {"cert_file", &out.tls.cert_file},
                                 {"key_file", &out.tls.key_file},
                                 {"key_password_file", &out.tls.key_password_file},
                                 {"crl_file", &out.tls.crl_file},
                                 {"server_name", &out.tls.server_name}});
    return all;
}

// `name` and `value` are parts of `text`.
std::string set_option(std::string_view text, std::string_view name, std::string_view value,
                       server_security& out) {
    if (out.tls.enabled && name == "verify") return set_verification(text, value, out.tls);
    if (name == "sasl_mechanism") return set_mechanism(text, value, out.sasl);
    const auto options = text_options(out);
    const auto found = std::find_if(options.begin(), options.end(),
                                    [name](const auto& each) { return each.name == name; });
    if (found == options.end()) {
        constexpr std::string_view k_of_tls =
            "ca_file, cert_file, key_file, key_password_file, crl_file, verify, server_name, ";
        return fmt::format(
            "has the unknown option '{}'; the options are {}sasl_mechanism, sasl_user, "
            "sasl_password_file, sasl_service and sasl_server_name",
            base::quoted_part(text, name), out.tls.enabled ? k_of_tls : "");
    }
    const auto decoded = base::percent_decoded(value);
    if (!decoded) return fmt::format("{} has a '%' without two hex digits after it", name);
    if (decoded->empty()) return fmt::format("{} is empty", name);
    *found->place = *decoded;
    return {};
}

std::string set_options(std::string_view text, std::string_view options, server_security& out) {
    std::set<std::string_view> names;
    while (!options.empty()) {
        const auto option = options.substr(0, options.find('&'));
        options.remove_prefix(std::min(option.size() + 1, options.size()));
        const auto name = option.substr(0, option.find('='));
        const auto value = option.substr(std::min(name.size() + 1, option.size()));
        if (auto rule = set_option(text, name, value, out); !rule.empty()) return rule;
        if (!names.insert(name).second) return fmt::format("has {} twice", name);
    }
    return {};
}

std::string fault_of(const tls::settings& wanted) {
    if (wanted.cert_file.empty() != wanted.key_file.empty())
        return "has only one of cert_file and key_file: a certificate needs its key";
    if (!wanted.key_password_file.empty() && wanted.key_file.empty())
        return "has key_password_file without key_file";
    if (wanted.verify == tls::verification::none &&
        !(wanted.ca_file.empty() && wanted.crl_file.empty()))
        return "has verify=none together with ca_file or crl_file, which would have no effect";
    if (wanted.verify != tls::verification::full && !wanted.server_name.empty())
        return "has server_name, which only verify=full uses";
    return {};
}

std::string fault_of(const sasl_options& wanted) {
    const bool has_password = !wanted.password.empty() || !wanted.password_file.empty();
    if (wanted.mechanism == sasl_mechanism::gssapi)
        return wanted.user.empty() && !has_password
                   ? ""
                   : "has a user or a password for GSSAPI, which takes both from Kerberos";
    if (wanted.user.empty() == has_password)
        return "has only one of sasl_user and sasl_password_file: a user needs a password";
    if (!wanted.password.empty() && !wanted.password_file.empty())
        return "has a password and a password_file";
    if (!wanted.service.empty() || !wanted.server_name.empty())
        return "has sasl_service or sasl_server_name, which only GSSAPI uses";
    return {};
}

// `where` is the part of `text` with the servers and the chroot.
result<ensemble_address> parse_plain(std::string_view text, std::string_view where,
                                     std::uint16_t default_port) {
    const auto slash = where.find('/');
    std::string_view hosts = where.substr(0, slash);
    if (base::without_blanks(hosts).empty())
        return refused_connect_string(text, "names no server: write host[:port][,host[:port]]...");

    ensemble_address out;
    for (bool more = true; more;) {
        const auto comma = hosts.find(',');
        more = comma != std::string_view::npos;
        auto server =
            parse_server(text, base::without_blanks(hosts.substr(0, comma)), default_port);
        if (!server) return server.error();
        if (out.servers.size() == k_most_hosts) {
            return refused_connect_string(text,
                                          fmt::format("names more than {} servers", k_most_hosts));
        }
        out.servers.push_back(*std::move(server));
        if (more) hosts.remove_prefix(comma + 1);
    }
    if (slash == std::string_view::npos) return out;
    auto chroot = parse_chroot(text, where.substr(slash));
    if (!chroot) return chroot.error();
    out.chroot = *std::move(chroot);
    return out;
}

}  // namespace

result<ensemble_address> parse_connect_string(std::string_view text) {
    if (!has_own_scheme(text)) return parse_plain(text, text, k_default_port);
    server_security wanted{.tls = {.enabled = text.starts_with(k_secure_scheme)}};
    auto where = text.substr((wanted.tls.enabled ? k_secure_scheme : k_plain_scheme).size());
    const auto mark = std::min(where.find('?'), where.size());
    const auto options = where.substr(std::min(mark + 1, where.size()));
    where = where.substr(0, mark);
    auto out =
        parse_plain(text, where, wanted.tls.enabled ? k_default_secure_port : k_default_port);
    if (!out) return out;
    if (const auto rule = set_options(text, options, wanted); !rule.empty())
        return refused_connect_string(text, rule);
    if (const auto rule = fault_of(wanted.tls); !rule.empty())
        return refused_connect_string(text, rule);
    if (const auto rule = fault_of(wanted.sasl); !rule.empty())
        return refused_connect_string(text, rule);
    if (!wanted.tls.enabled && !tls::is_enabled(wanted.sasl)) return out;
    const auto shared = std::make_shared<const server_security>(std::move(wanted));
    for (auto& server : out->servers) server.security = shared;
    return out;
}

result<void> secure(ensemble_address& servers, server_security wanted) {
    const auto refused = [](std::string_view option, std::string_view rule) {
        return error{errc::bad_option, fmt::format("{}: {}", option, rule)};
    };
    if (const auto rule = fault_of(wanted.sasl); !rule.empty()) return refused("sasl", rule);
    if (!wanted.tls.enabled && !tls::is_enabled(wanted.sasl)) return {};
    server_security both;
    if (const auto* const own = servers.security()) both = *own;
    if (wanted.tls.enabled) {
        if (both.tls.enabled)
            return refused(
                "tls",
                "must not be set together with zookeepers://, because the connect string "
                "has its own options of TLS");
        if (const auto rule = fault_of(wanted.tls); !rule.empty()) return refused("tls", rule);
        both.tls = std::move(wanted.tls);
    }
    if (tls::is_enabled(wanted.sasl)) {
        if (tls::is_enabled(both.sasl))
            return refused(
                "sasl", "must not be set, because the connect string has its own options of SASL");
        both.sasl = std::move(wanted.sasl);
    }
    const auto shared = std::make_shared<const server_security>(std::move(both));
    for (auto& server : servers.servers) server.security = shared;
    return {};
}

std::string hosts_of(const ensemble_address& value, address_form form) {
    std::string out;
    for (const auto& [host, port, security] : value.servers) {
        const bool brackets =
            form == address_form::for_people && host.find(':') != std::string::npos;
        if (!out.empty()) out += ',';
        out += fmt::format("{}:{}", brackets ? "[" + host + "]" : host, port);
    }
    return out;
}

std::string to_string(const ensemble_address& value) {
    const auto* const security = value.security();
    return std::string{security != nullptr && security->tls.enabled ? k_secure_scheme : ""} +
           hosts_of(value, address_form::for_people) + value.chroot;
}

}  // namespace turnstile::zookeeper
