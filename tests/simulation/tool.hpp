// SPDX-License-Identifier: Apache-2.0
// Code that the programs of this folder share: the option --seeds, and the conversion of arguments and exceptions into
// an exit status.
#pragma once

#include <charconv>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>

namespace turnstile::tests {

struct seed_range {
    std::uint64_t first = 1;
    std::uint64_t last = 1000;
};

inline std::uint64_t parse_seed(const std::string& text) {
    std::uint64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, value);
    if (text.empty() || failure != std::errc{} || stopped != end)
        throw CLI::ValidationError{"--seeds", "'" + text + "' is not a seed: a number"};
    return value;
}

// Parses a range "A..B".
inline seed_range parse_seeds(const std::string& text) {
    const auto dots = text.find("..");
    if (dots == std::string::npos)
        throw CLI::ValidationError{"--seeds", "'" + text + "' is not a range: A..B"};
    const seed_range range{parse_seed(text.substr(0, dots)), parse_seed(text.substr(dots + 2))};
    if (range.last < range.first)
        throw CLI::ValidationError{"--seeds", "'" + text + "' ends before it begins"};
    return range;
}

inline CLI::Option* add_seeds_option(CLI::App& app, seed_range& into) {
    return app.add_option_function<std::string>(
        "--seeds", [&into](const std::string& text) { into = parse_seeds(text); },
        "plays the histories of the seeds A..B (default: 1..1000)");
}

// Returns the exit status that `run` returns, or 2 if the arguments are invalid or `run` throws.
template <class F>
int run_tool(CLI::App& app, int count, char** words, F&& run) {
    try {
        app.parse(count, words);
        return run();
    } catch (const CLI::ParseError& end) {
        return app.exit(end) == 0 ? 0 : 2;
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << '\n';
        return 2;
    }
}

}  // namespace turnstile::tests
