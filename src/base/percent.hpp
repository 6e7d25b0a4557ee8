// SPDX-License-Identifier: Apache-2.0
// percent: text in one word: blanks, control characters and '%' become "%hh".
#pragma once

#include <string>
#include <string_view>

namespace turnstile::base {

void append_percent_escaped(std::string& to, std::string_view text);
[[nodiscard]] std::string percent_unescaped(std::string_view text);

}  // namespace turnstile::base
