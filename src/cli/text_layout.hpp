// SPDX-License-Identifier: Apache-2.0
// text_layout: prints text for people: rows in aligned columns, and frames that fit into a terminal's window.
//
//     table   rows of text in aligned columns
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::cli {

// Prints rows of text in aligned columns.
//
// Thread safety: a value.
class table {
public:
    explicit table(std::vector<std::string> titles) { rows_.push_back(std::move(titles)); }

    // Adds a row with one cell for each title. Replaces unprintable characters. Shows an empty cell as "-".
    void add(std::vector<std::string> cells);
    // Returns a line for the titles and a line for each row, with two spaces between columns. A cell wider than 100
    // columns is not cut. It shifts the rest of its row, but does not widen its column.
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

// Returns how many terminal columns a printable text needs.
[[nodiscard]] std::size_t width_of(std::string_view text) noexcept;

struct screen_size {
    std::size_t columns = 80;
    std::size_t rows = 24;
};

// Cuts printable text to the size. If lines are cut off, the last line says how many.
[[nodiscard]] std::string fitted(std::string_view text, screen_size size);

// Prints the text on stdout as the next frame. On a terminal, each frame replaces the previous frame, and is cut to the
// window. Without a terminal, the frames follow each other. Returns false if the output cannot be written. Call this
// from one thread.
[[nodiscard]] bool show_frame(std::string_view text);

}  // namespace turnstile::cli
