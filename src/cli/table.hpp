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

    // Adds a row with one cell for each title. The cells are made printable; an empty cell becomes "-".
    void add(std::vector<std::string> cells);
    // Returns a line for the titles and a line for each row, with two spaces between columns and none at the end. A
    // cell wider than 100 columns is not cut: it moves the rest of its row to the right, and other rows ignore it.
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

// The number of terminal columns of a printable text.
[[nodiscard]] std::size_t width_of(std::string_view text) noexcept;

}  // namespace turnstile::cli
