// SPDX-License-Identifier: Apache-2.0
// screen: prints successive frames on stdout. On a terminal, each frame replaces the previous frame, and is cut to the
// window. Without a terminal, the frames follow each other.
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

// Cuts printable text to the size. If lines are cut off, the last line says how many.
[[nodiscard]] std::string fitted(std::string_view text, screen_size size);

// Prints the text as the next frame. Returns false if the output cannot be written.
[[nodiscard]] bool show_frame(std::string_view text);

}  // namespace turnstile::cli
