// SPDX-License-Identifier: Apache-2.0
#include "cli/keeping_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/exit_code.hpp"
#include "cli/option_types.hpp"
#include "cli/wrong_words.hpp"

namespace turnstile::cli {

void add_keeping_options(CLI::App& command, keeping_options& options) {
    command.add_flag("--shell", options.shell);
    add_duration(command, "--grace", options.grace);
    add_choice<lost_policy>(command, "--on-lost", options.on_lost,
                            {{"term", lost_policy::terminate},
                             {"kill", lost_policy::kill},
                             {"none", lost_policy::none}});
    add_choice<guard_choice>(command, "--guard", options.guard,
                             {{"auto", guard_choice::automatic},
                              {"cgroup", guard_choice::cgroup},
                              {"children", guard_choice::children}});
    command.add_option("--lost-exit-code", options.lost_exit_code)->check(CLI::Range(1, 255));
}

void finish(keeping_options& options, std::string_view subcommand) {
    if (options.command.empty()) throw CLI::ParseError{no_command(subcommand), k_usage};
    if (!options.shell) return;
    std::string script;
    for (const auto& word : options.command) script += (script.empty() ? "" : " ") + word;
    options.command = {"/bin/sh", "-c", script};
}

}  // namespace turnstile::cli
