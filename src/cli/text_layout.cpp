// SPDX-License-Identifier: Apache-2.0
#include "cli/text_layout.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "cli/standard_streams.hpp"
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

namespace {

constexpr std::string_view k_home = "\x1b[H";
constexpr std::string_view k_clear_line = "\x1b[K";
constexpr std::string_view k_clear_below = "\x1b[J";

std::optional<screen_size> terminal_size() {
    if (::isatty(STDOUT_FILENO) != 1) return std::nullopt;
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 ||
        window.ws_row == 0)
        return screen_size{};
    return screen_size{window.ws_col, window.ws_row};
}

std::string_view first_columns(std::string_view line, std::size_t columns) {
    std::size_t bytes = 0;
    std::size_t width = 0;
    while (bytes != line.size()) {
        const auto length =
            std::max<std::size_t>(support::decode_utf8(line.substr(bytes)).length, 1);
        width += width_of(line.substr(bytes, length));
        if (width > columns) break;
        bytes += length;
    }
    return line.substr(0, bytes);
}

// Returns the text as a frame for a terminal. Each line also clears what remains of the old line.
std::string as_frame(std::string_view text) {
    std::string frame{k_home};
    for (const char symbol : text) {
        if (symbol == '\n') frame += k_clear_line;
        frame += symbol;
    }
    return frame + std::string{k_clear_below};
}

}  // namespace

std::string fitted(std::string_view text, screen_size size) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    // Leaves a line for the cursor.
    const auto room = std::max<std::size_t>(size.rows, 2) - 1;
    const auto shown = lines <= room ? lines : room - 1;
    std::string result;
    for (std::size_t i = 0; i != shown; ++i) {
        const auto end = text.find('\n');
        result.append(first_columns(text.substr(0, end), size.columns)).push_back('\n');
        text.remove_prefix(end + 1);
    }
    if (shown < lines) result += "... and " + std::to_string(lines - shown) + " more\n";
    return result;
}

bool show_frame(std::string_view text) {
    const auto size = terminal_size();
    const auto frame = size ? as_frame(fitted(text, *size)) : std::string{text};
    std::fwrite(frame.data(), 1, frame.size(), stdout);
    return flush_output();
}

}  // namespace turnstile::cli
