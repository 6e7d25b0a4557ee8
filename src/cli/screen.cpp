// SPDX-License-Identifier: Apache-2.0
#include "cli/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/standard_streams.hpp"
#include "cli/table.hpp"
#include "support/utf8.hpp"

namespace turnstile::cli {
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
