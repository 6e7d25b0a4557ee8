// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

namespace demo {

namespace {

constexpr int k_least_width = 60;
constexpr int k_most_width = 160;

int width_of_terminal() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char* const columns = std::getenv("COLUMNS");
    const int width = columns != nullptr ? std::atoi(columns) : 0;
    return width > 0 ? width : 100;
}

}  // namespace

std::string in_seconds(duration d) {
    return fmt::format("{:.2f} s", std::chrono::duration<double>{d}.count());
}

std::string in_milliseconds(duration d) {
    if (d >= std::chrono::seconds{1}) return in_seconds(d);
    return fmt::format("{:.1f} ms", std::chrono::duration<double, std::milli>{d}.count());
}

terminal terminal::detect() {
    terminal t;
    t.live = ::isatty(STDOUT_FILENO) == 1;
    const char* const no_colour = std::getenv("NO_COLOR");
    t.coloured = t.live && (no_colour == nullptr || *no_colour == '\0');
    t.width = std::clamp(width_of_terminal(), k_least_width, k_most_width);
    return t;
}

std::string terminal::paint(tint colour, std::string_view text) const {
    constexpr std::array<std::string_view, 9> k_codes{"0",  "1",  "2",     "32",   "31",
                                                      "33", "34", "30;44", "30;43"};
    if (!coloured || colour == tint::plain) return std::string{text};
    return fmt::format("\033[{}m{}\033[0m", k_codes.at(static_cast<std::size_t>(colour)), text);
}

}  // namespace demo
