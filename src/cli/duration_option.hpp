// SPDX-License-Identifier: Apache-2.0
// duration_option: a CLI11 option whose value is a duration as parse_duration() reads it.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <string>

#include "cli/duration.hpp"

namespace turnstile::cli {

// The least of what may not be nothing.
inline constexpr std::chrono::milliseconds k_shortest_duration{1};

inline void add_duration_function(CLI::App& command, const std::string& name,
                                  const std::function<void(std::chrono::milliseconds)>& take) {
    command.add_option_function<std::string>(name, [name, take](const std::string& text) {
        const auto value = parse_duration(text);
        if (!value)
            throw CLI::ValidationError{name,
                                       text + ": expected a duration such as 500ms, 30s, 5m or 1h"};
        take(*value);
    });
}

// At least `least`: an option for which nothing, or too little, has no meaning names its bound.
inline void add_duration(CLI::App& command, const std::string& name,
                         std::chrono::milliseconds& target, std::chrono::milliseconds least = {}) {
    add_duration_function(command, name, [&target, name, least](std::chrono::milliseconds value) {
        if (value < least)
            throw CLI::ValidationError{
                name, exact_text(value) + ": expected at least " + exact_text(least)};
        target = value;
    });
}

}  // namespace turnstile::cli
