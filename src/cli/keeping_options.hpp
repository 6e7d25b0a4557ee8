// SPDX-License-Identifier: Apache-2.0
// keeping_options: the common options of `turnstile run` and `turnstile elect`. `run` runs a command while it holds a
// lock, and `elect` runs a command while it leads.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/process_guard.hpp"
#include "cli/servers.hpp"
#include "cli/supervision.hpp"
#include "turnstile/result.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

struct keeping_options {
    std::vector<std::string> command;
    bool shell = false;
    std::chrono::milliseconds grace = k_default_grace;
    lost_policy on_lost = lost_policy::terminate;
    guard_choice guard = guard_choice::automatic;
    int lost_exit_code = k_lost;
};

void add_keeping_options(CLI::App& command, keeping_options& options);

// Adds the shell before the command, if requested. Throws CLI::ParseError if there is no command. `subcommand`: a name
// such as "run", for the message.
void finish(keeping_options& options, std::string_view subcommand);

// Checks that the session timeout is long enough for the command's grace period.
// `session_timeout`: the requested or the granted timeout. The check always assumes a connection to a follower, because
// the client may connect to a follower later. Error: bad_option, with the numbers.
[[nodiscard]] result<void> check_grace(const keeping_options& options, const assumed_pace& servers,
                                       std::chrono::milliseconds session_timeout);

}  // namespace turnstile::cli
