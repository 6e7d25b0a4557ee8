// SPDX-License-Identifier: Apache-2.0
// table: rows of text in columns that line up.
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

    // As many cells as there are titles; they are made printable, an empty one becomes "-".
    void add(std::vector<std::string> cells);
    // A line for the titles and one for each row, two spaces between columns, none at the end. A cell wider than 100
    // columns of the terminal stays whole and pushes the rest of its own row to the right; other rows ignore it.
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

// How many columns of a terminal printable text takes.
[[nodiscard]] std::size_t width_of(std::string_view text) noexcept;

}  // namespace turnstile::cli
