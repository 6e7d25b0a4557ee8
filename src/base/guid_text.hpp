// SPDX-License-Identifier: Apache-2.0
// guid_text: 16 bytes as a UUID (RFC 4122) of 36 lower-case characters. Thread safety: a pure function.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "support/hexadecimal.hpp"

namespace turnstile::base {

using guid_bytes = std::array<unsigned char, 16>;

// The version and the variant of the UUID replace some bits of `bytes`. The function writes the digits into a text of
// the final length: every contender has a GUID, and appending digit by digit takes ten times as long.
[[nodiscard]] inline std::string guid_text(guid_bytes bytes, unsigned version) {
    constexpr std::string_view k_form = "00000000-0000-0000-0000-000000000000";
    bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0fU) | (version << 4U));
    bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3fU) | 0x80U);
    std::string text{k_form};
    std::size_t at = 0;
    for (const auto byte : bytes) {
        if (k_form[at] == '-') ++at;
        support::write_hexadecimal(&text[at], byte);
        at += 2;
    }
    return text;
}

}  // namespace turnstile::base
