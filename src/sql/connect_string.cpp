// SPDX-License-Identifier: Apache-2.0
#include "sql/connect_string.hpp"

#include <fmt/core.h>

#include <array>

#include "base/path.hpp"

namespace turnstile::sql {
namespace {

constexpr std::string_view k_sqlite = "sqlite:";
constexpr std::array<std::string_view, 2> k_postgresql{"postgresql://", "postgres://"};
constexpr std::string_view k_chroot = "chroot=";

error refused(std::string_view text, std::string_view rule) {
    return {errc::bad_connect_string, fmt::format("'{}': {}", masked(text), rule)};
}

bool is_postgresql(std::string_view text) noexcept {
    return text.starts_with(k_postgresql[0]) || text.starts_with(k_postgresql[1]);
}

// Where the user's password stands in a URI: from behind the colon to the '@'; npos if there is none.
struct place {
    std::size_t begin = std::string_view::npos;
    std::size_t end = 0;
};
place password_in(std::string_view text) {
    const auto slashes = text.find("://");
    if (slashes == std::string_view::npos) return {};
    const auto from = slashes + 3;
    const auto end = std::min(text.find_first_of("/?", from), text.size());
    const auto at = text.substr(0, end).rfind('@');
    const auto colon = text.find(':', from);
    if (at == std::string_view::npos || at < from || colon == std::string_view::npos || colon > at)
        return {};
    return {colon + 1, at};
}

}  // namespace

bool is_sql(std::string_view text) noexcept {
    return text.starts_with(k_sqlite) || is_postgresql(text);
}

std::string masked(std::string_view text) {
    std::string out{text};
    const auto [begin, end] = password_in(text);
    if (begin != std::string_view::npos) out.replace(begin, end - begin, "***");
    constexpr std::string_view k_parameter = "password=";
    for (auto at = out.find(k_parameter); at != std::string::npos;
         at = out.find(k_parameter, at + k_parameter.size())) {
        const auto from = at + k_parameter.size();
        const auto to = std::min(out.find('&', from), out.size());
        out.replace(from, to - from, "***");
    }
    return out;
}

result<connect_string> parse_connect_string(std::string_view text) {
    connect_string out;
    out.kind = is_postgresql(text) ? kind::postgresql : kind::sqlite;
    const auto question = std::min(text.find('?'), text.size());
    std::string_view rest = text.substr(std::min(question + 1, text.size()));
    out.target = text.substr(0, question);
    std::string kept;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('&'), rest.size());
        const std::string_view parameter = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (parameter.starts_with(k_chroot)) {
            out.chroot = parameter.substr(k_chroot.size());
        } else if (out.kind == kind::sqlite) {
            return refused(text, "behind '?' only chroot=/path may stand");
        } else {
            kept += (kept.empty() ? "?" : "&") + std::string{parameter};
        }
    }
    if (out.chroot == "/") out.chroot.clear();
    if (!out.chroot.empty()) {
        if (const auto valid = base::validate_path(out.chroot); !valid)
            return refused(text, "has a chroot that is a " + valid.error().message());
    }
    if (out.kind == kind::sqlite) {
        out.target.erase(0, k_sqlite.size());
        if (!out.target.starts_with('/') || out.target.ends_with('/'))
            return refused(text, "needs the whole path of a file: sqlite:/var/lib/locks.db");
        return out;
    }
    out.target += kept;
    return out;
}

std::string to_string(const connect_string& value) {
    const std::string chroot = value.chroot.empty() ? "" : "?chroot=" + value.chroot;
    if (value.kind == kind::sqlite) return std::string{k_sqlite} + value.target + chroot;
    const std::string text = value.target.substr(0, value.target.find('?'));
    const auto [begin, end] = password_in(text);
    std::string shown = text;
    if (begin != std::string_view::npos) shown.erase(begin - 1, end - begin + 1);
    return shown + chroot;
}

}  // namespace turnstile::sql
