// SPDX-License-Identifier: Apache-2.0
// screen: frames that follow each other on stdout. On a terminal each takes the place of the one before, cut to the
// window; elsewhere they are printed one after the other.
//
// Thread safety: one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace turnstile::cli {

struct screen_size {
    std::size_t columns = 80;
    std::size_t rows = 24;
};

// The first lines and columns of printable text, as far as they fit. A line that says how many are left out takes the
// place of the last one.
[[nodiscard]] std::string fitted(std::string_view text, screen_size size);

// False: the output cannot be written any more.
[[nodiscard]] bool show_frame(std::string_view text);

}  // namespace turnstile::cli
