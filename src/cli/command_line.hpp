// SPDX-License-Identifier: Apache-2.0
// command_line: what the words behind `turnstile` mean.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace turnstile::cli {

struct command_line {
    // The words behind "--": their flags are not ours.
    std::vector<std::string> behind_dashes;
    // What is to be done; returns the exit code.
    std::function<int()> action;
};

// All subcommands. The one that is parsed sets `line.action`.
void add_commands(CLI::App& program, command_line& line);

// Reads the words and does what they say. Returns the exit code; what went wrong is one line on stderr.
[[nodiscard]] int run_command_line(std::vector<std::string> words);

}  // namespace turnstile::cli
