// SPDX-License-Identifier: Apache-2.0
#include "cli/table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "support/utf8.hpp"
#include "support/visible.hpp"

namespace turnstile::cli {

namespace {

// Other clients choose names, and one long name must not widen all rows.
constexpr std::size_t k_widest_column = 100;

// True for ideographs, kana, hangul, full-width forms and pictographs, which need two columns.
bool is_wide(char32_t point) {
    constexpr std::array<std::pair<char32_t, char32_t>, 8> k_wide{{{0x1100, 0x115f},
                                                                   {0x2e80, 0xa4cf},
                                                                   {0xac00, 0xd7a3},
                                                                   {0xf900, 0xfaff},
                                                                   {0xfe30, 0xfe6f},
                                                                   {0xff00, 0xff60},
                                                                   {0x1f300, 0x1faff},
                                                                   {0x20000, 0x3fffd}}};
    return std::any_of(k_wide.begin(), k_wide.end(), [point](const auto& range) {
        return point >= range.first && point <= range.second;
    });
}

}  // namespace

std::size_t width_of(std::string_view text) noexcept {
    std::size_t width = 0;
    while (!text.empty()) {
        const auto [point, length] = support::decode_utf8(text);
        width += is_wide(point) ? std::size_t{2} : std::size_t{1};
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return width;
}

void table::add(std::vector<std::string> cells) {
    for (auto& cell : cells) cell = cell.empty() ? "-" : support::visible(cell);
    rows_.push_back(std::move(cells));
}

std::string table::text() const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_)
        for (std::size_t i = 0; i != row.size(); ++i)
            if (const auto width = width_of(row[i]); width <= k_widest_column)
                widths[i] = std::max(widths[i], width);
    std::string result;
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i != row.size(); ++i) {
            result += row[i];
            if (i + 1 == row.size()) continue;
            const auto width = width_of(row[i]);
            result.append(widths[i] - std::min(widths[i], width) + 2, ' ');
        }
        result += '\n';
    }
    return result;
}

}  // namespace turnstile::cli
