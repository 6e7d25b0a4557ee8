// percent: text in one word: blanks, control characters and '%' become "%hh".
#pragma once

#include <string>
#include <string_view>

namespace turnstile::base {

[[nodiscard]] std::string percent_escaped(std::string_view text);
[[nodiscard]] std::string percent_unescaped(std::string_view text);

}  // namespace turnstile::base
