// SPDX-License-Identifier: Apache-2.0
// table: prints rows of text in aligned columns.
//
// Thread safety: a value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::cli {

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

}  // namespace turnstile::cli
