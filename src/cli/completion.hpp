// SPDX-License-Identifier: Apache-2.0
// completion: generates shell completions for `turnstile` from the existing commands.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace turnstile::cli {

struct suggested_option {
    std::vector<std::string> names;  // "--output", "-o"
    std::string text;
    bool takes_value = false;
    bool takes_file = false;
    std::vector<std::string> choices;  // allowed values; empty: any value
};

struct suggested_command {
    std::string name;
    std::string text;
    bool runs_command = false;  // takes a command after "--"
    std::vector<suggested_option> options;
};

[[nodiscard]] std::vector<suggested_command> suggested_commands(const CLI::App& program);

[[nodiscard]] std::string bash_completion(const std::vector<suggested_command>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<suggested_command>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<suggested_command>& commands);

}  // namespace turnstile::cli
