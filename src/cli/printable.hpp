// SPDX-License-Identifier: Apache-2.0
// printable: makes other clients' text safe for a terminal. Names, labels and reasons may be hostile: an escape
// sequence could overwrite the screen.
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

}  // namespace turnstile::cli
