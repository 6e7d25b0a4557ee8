// SPDX-License-Identifier: Apache-2.0
// command_line: the action that the words behind `turnstile` ask for. Each subcommand sets it.
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

}  // namespace turnstile::cli
