// SPDX-License-Identifier: Apache-2.0
// output_option: -o, the form in which a command prints its results.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace turnstile::cli {

enum class output_form { text, wide, json };

// `forms`: the forms of the command.
inline void add_output_option(CLI::App& command, output_form& form,
                              const std::vector<std::string>& forms = {"text", "json"}) {
    command
        .add_option_function<std::string>("-o,--output",
                                          [&form](const std::string& text) {
                                              form = text == "text"   ? output_form::text
                                                     : text == "wide" ? output_form::wide
                                                                      : output_form::json;
                                          })
        ->check(CLI::IsMember(forms));
}

// For a command whose text output has a wide form.
inline void add_wide_output_option(CLI::App& command, output_form& form) {
    add_output_option(command, form, {"text", "wide", "json"});
}

}  // namespace turnstile::cli
