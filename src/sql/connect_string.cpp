// SPDX-License-Identifier: Apache-2.0
#include "sql/connect_string.hpp"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/predicate.hpp>

#include "base/host_text.hpp"
#include "base/masked.hpp"
#include "base/path.hpp"
#include "sql/linked_dialects.hpp"
#include "sql/mariadb_target.hpp"

namespace turnstile::sql {
namespace {

constexpr std::string_view k_sqlite = "sqlite:";
constexpr std::array<std::string_view, 2> k_postgresql{"postgresql://", "postgres://"};
constexpr std::string_view k_chroot = "chroot=";
constexpr std::string_view k_encoding = "client_encoding=";

bool is_postgresql(std::string_view text) noexcept {
    return text.starts_with(k_postgresql[0]) || text.starts_with(k_postgresql[1]);
}

bool is_utf8(std::string_view encoding) noexcept {
    return boost::algorithm::iequals(encoding, "UTF8") ||
           boost::algorithm::iequals(encoding, "UTF-8");
}

// Returns the index at which the hosts begin. As in libpq's parser, the user ends at the first '@' before the first
// '/', and may contain a '?'.
std::size_t begin_of_hosts(std::string_view uri) noexcept {
    const auto begin = uri.find("://") + 3;
    const auto at = uri.substr(0, uri.find('/', begin)).find('@', begin);
    return at == std::string_view::npos ? begin : at + 1;
}

// Removes blanks around the commas between hosts. libpq would treat these blanks as parts of the hosts' names.
std::string without_blanks_beside_commas(std::string uri) {
    auto from = begin_of_hosts(uri);
    auto end = std::min(uri.find_first_of("/?", from), uri.size());
    for (; from <= end; ++from) {
        const auto to = std::min(uri.find(',', from), end);
        const std::string host{base::without_blanks(std::string_view{uri}.substr(from, to - from))};
        uri.replace(from, to - from, host);
        end -= to - from - host.size();
        from += host.size();
    }
    return uri;
}

kind kind_of(std::string_view text) noexcept {
    if (is_postgresql(text)) return kind::postgresql;
    return is_mariadb(text) ? kind::mariadb : kind::sqlite;
}

// True if a password in the URI contains an '@' that is not escaped. libpq would parse the rest of the password as a
// host or a database, and show it in its messages.
bool has_unescaped_at(std::string_view uri) noexcept {
    const auto hosts = begin_of_hosts(uri);
    return uri.substr(0, uri.find('?', hosts)).find('@', hosts) != std::string_view::npos;
}

// True if a host begins with '[' and has no ']'. libpq reads such an address up to the next ']', even across '/', '?'
// and ','. So libpq and this parser would disagree about where the parameters begin. This parser must find the
// parameters, because it removes `chroot` from them.
bool has_open_bracket(std::string_view uri) noexcept {
    auto hosts = uri.substr(begin_of_hosts(uri));
    hosts = hosts.substr(0, hosts.find_first_of("/?"));
    while (!hosts.empty()) {
        const auto end = std::min(hosts.find(','), hosts.size());
        const auto host = base::without_blanks(hosts.substr(0, end));
        if (host.starts_with('[') && host.find(']') == std::string_view::npos) return true;
        hosts.remove_prefix(std::min(end + 1, hosts.size()));
    }
    return false;
}

// Returns the connect string `target` without the password and the parameters.
std::string shown_postgresql(std::string target) {
    const auto begin = target.find("://") + 3;
    const auto hosts = begin_of_hosts(target);
    target.erase(std::min(target.find('?', hosts), target.size()));
    const auto colon = target.find(':', begin);
    const bool has_password = hosts != begin && colon < hosts;
    if (has_password) target.erase(colon, hosts - 1 - colon);
    return target;
}

}  // namespace

result<database_address> parse_connect_string(std::string_view text) {
    database_address out;
    out.kind = kind_of(text);
    if (out.kind == kind::postgresql && has_unescaped_at(text))
        return base::refused_connect_string(
            text,
            "has an '@' that does not end the user: write %40 for an '@' in a password or a name");
    if (out.kind == kind::postgresql && has_open_bracket(text))
        return base::refused_connect_string(
            text, "has a '[' without ']' in its host: write an IPv6 address as [::1]");
    const auto before = out.kind == kind::postgresql ? begin_of_hosts(text) : 0;
    const auto question = std::min(text.find('?', before), text.size());
    std::string_view rest = text.substr(std::min(question + 1, text.size()));
    out.target = text.substr(0, question);
    std::string kept;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('&'), rest.size());
        const std::string_view parameter = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (parameter.starts_with(k_chroot)) {
            if (!out.chroot.empty()) return base::refused_connect_string(text, "has chroot twice");
            out.chroot = parameter.substr(k_chroot.size());
        } else if (out.kind == kind::sqlite) {
            return base::refused_connect_string(text, "has more than chroot=/path after '?'");
        } else if (out.kind == kind::postgresql && parameter.starts_with(k_encoding) &&
                   !is_utf8(parameter.substr(k_encoding.size()))) {
            return base::refused_connect_string(text,
                                                "client_encoding must be UTF8, because another "
                                                "encoding has other bytes for the same path");
        } else {
            kept.append(kept.empty() ? "?" : "&").append(parameter);
        }
    }
    if (out.chroot == "/") out.chroot.clear();
    if (!out.chroot.empty()) {
        if (const auto fault = base::chroot_fault(text, out.chroot); !fault.empty())
            return base::refused_connect_string(text, fault);
    }
    if (out.kind == kind::sqlite) {
        out.target.erase(0, k_sqlite.size());
        if (!out.target.starts_with('/') || out.target.ends_with('/'))
            return base::refused_connect_string(
                text, "needs the absolute path of a file: sqlite:/var/lib/locks.db");
        return out;
    }
    out.target = without_blanks_beside_commas(out.target + kept);
    if (const auto* const own = dialect_of(out.kind); own != nullptr && own->fault_of != nullptr) {
        if (const auto fault = own->fault_of(out.target); !fault.empty())
            return base::refused_connect_string(text, fault);
    }
    if (out.kind == kind::mariadb) {
        out.target = normal_mariadb(out.target);
        if (const auto valid = parse_mariadb_target(out.target); !valid)
            return base::refused_connect_string(text, valid.error().detail());
    }
    return out;
}

std::string to_string(const database_address& location) {
    const std::string chroot = location.chroot.empty() ? "" : "?chroot=" + location.chroot;
    if (location.kind == kind::sqlite) return std::string{k_sqlite} + location.target + chroot;
    if (location.kind == kind::postgresql) return shown_postgresql(location.target) + chroot;
    return base::without_password(location.target.substr(0, location.target.find('?'))) + chroot;
}

}  // namespace turnstile::sql
