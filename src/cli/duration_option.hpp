// SPDX-License-Identifier: Apache-2.0
// duration_option: a CLI11 option whose value parse_duration() parses.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <string>

#include "cli/duration.hpp"
#include "cli/option_name.hpp"

namespace turnstile::cli {

// The smallest value of an option that must not be zero.
inline constexpr std::chrono::milliseconds k_shortest_duration{1};

inline void add_duration_function(CLI::App& command, const std::string& name,
                                  const std::function<void(std::chrono::milliseconds)>& take) {
    command.add_option_function<std::string>(name, [name, take](const std::string& text) {
        const auto value = parse_duration(text);
        if (!value)
            throw CLI::ValidationError{option_name(name),
                                       text + ": expected a duration such as 500ms, 30s, 5m or 1h"};
        take(*value);
    });
}

// Adds an option whose value must be at least `least`.
inline void add_duration(CLI::App& command, const std::string& name,
                         std::chrono::milliseconds& target, std::chrono::milliseconds least = {}) {
    add_duration_function(command, name, [&target, name, least](std::chrono::milliseconds value) {
        if (value < least)
            throw CLI::ValidationError{
                option_name(name), exact_text(value) + ": expected at least " + exact_text(least)};
        target = value;
    });
}

}  // namespace turnstile::cli
