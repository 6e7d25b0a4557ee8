// SPDX-License-Identifier: Apache-2.0
// What all connect strings have in common in the list of their hosts:
//
//     without_blanks   blanks beside the commas mean nothing: "zk1:2181, zk2:2181"
//     with_plain_zone  RFC 6874 writes the zone of an IPv6 address behind "%25", the system behind "%": both are taken
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

// "fe80::1%eth0" of "fe80::1%25eth0". What it gives is its own plain form.
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
