// SPDX-License-Identifier: Apache-2.0
// output_option: -o, in which form a command prints what it found.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace turnstile::cli {

enum class output_form { text, wide, json };

inline void add_output_option(CLI::App& command, output_form& form) {
    command
        .add_option_function<std::string>(
            "-o,--output",
            [&form](const std::string& text) {
                if (text != "text" && text != "wide" && text != "json")
                    throw CLI::ValidationError{"--output", text + ": expected text, wide or json"};
                form = text == "text"   ? output_form::text
                       : text == "wide" ? output_form::wide
                                        : output_form::json;
            })
        ->type_name("{text,wide,json}");
}

}  // namespace turnstile::cli
