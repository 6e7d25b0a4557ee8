// SPDX-License-Identifier: Apache-2.0
// Rules for the hosts in every kind of connect string:
//
//     without_blanks       removes the blanks beside the commas: "zk1:2181, zk2:2181"
//     has_other_separator  finds a separator between servers that is no comma: "zk1:2181;zk2:2181"
//     with_plain_zone      replaces an IPv6 zone in RFC 6874's form, "fe80::1%25eth0", by "fe80::1%eth0"
//
// Thread safety: pure functions.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace turnstile::base {

[[nodiscard]] constexpr std::string_view without_blanks(std::string_view item) noexcept {
    constexpr std::string_view k_blanks = " \t";
    const auto begin = std::min(item.find_first_not_of(k_blanks), item.size());
    return item.substr(begin, item.find_last_not_of(k_blanks) + 1 - begin);
}

// The error message for a text for which has_other_separator() returns true.
inline constexpr const char* k_other_separator =
    "has a blank or a semicolon in it: write commas between servers";

[[nodiscard]] constexpr bool has_other_separator(std::string_view server) noexcept {
    return server.find_first_of("; \t") != std::string_view::npos;
}

// Returns "fe80::1%eth0" for "fe80::1%25eth0". A second call changes nothing.
[[nodiscard]] inline std::string with_plain_zone(std::string_view address) {
    constexpr std::string_view k_escaped = "%25";
    std::string plain{address};
    for (;;) {
        const auto zone = plain.find(k_escaped);
        if (zone == std::string::npos || zone + k_escaped.size() == plain.size()) return plain;
        plain.erase(zone + 1, k_escaped.size() - 1);
    }
}

}  // namespace turnstile::base
