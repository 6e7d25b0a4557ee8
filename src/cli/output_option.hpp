// SPDX-License-Identifier: Apache-2.0
// output_option: the option -o, which selects the output's form.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/choice_option.hpp"

namespace turnstile::cli {

enum class output_form { text, wide, json };

inline void add_output_option(CLI::App& command, output_form& form) {
    add_choice<output_form>(command, "-o,--output", form,
                            {{"text", output_form::text}, {"json", output_form::json}});
}

// Adds the option -o to a command that can print its output in the forms text, wide and json.
inline void add_wide_output_option(CLI::App& command, output_form& form) {
    add_choice<output_form>(
        command, "-o,--output", form,
        {{"text", output_form::text}, {"wide", output_form::wide}, {"json", output_form::json}});
}

}  // namespace turnstile::cli
