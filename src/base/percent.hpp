// SPDX-License-Identifier: Apache-2.0
// Percent-encoding: bytes that a text cannot contain, written as "%hh".
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/hexadecimal.hpp"

namespace turnstile::base {

void append_percent_encoded(std::string& to, unsigned char byte);

// Appends the text as one word: encodes blanks, control characters and '%'.
void append_percent_escaped(std::string& to, std::string_view text);
// Decodes the text. Leaves a '%' without two digits behind it unchanged.
[[nodiscard]] std::string percent_unescaped(std::string_view text);

// Decodes the text. Returns nothing if a '%' is not followed by two digits.
[[nodiscard]] std::optional<std::string> percent_decoded(
    std::string_view text, support::digit_case digits = support::digit_case::any);

}  // namespace turnstile::base
