// SPDX-License-Identifier: Apache-2.0
// trimmed: removes the spaces around values in a header. Thread safety: a pure function.
#pragma once

#include <string_view>

namespace turnstile::admin {

[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

}  // namespace turnstile::admin
