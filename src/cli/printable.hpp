// SPDX-License-Identifier: Apache-2.0
// printable: text of other clients as a terminal may show it. Names, labels and reasons are hostile: an escape
// sequence in one of them could rewrite the screen.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "support/visible.hpp"

namespace turnstile::cli {

[[nodiscard]] inline std::string printable(std::string_view text) {
    return support::visible(text);
}

// A JSON string with its quotes, in ASCII: the rest is escaped, what is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace turnstile::cli
