// SPDX-License-Identifier: Apache-2.0
#include "cli/keeping_options.hpp"

#include <CLI/CLI.hpp>
#include <map>

#include "cli/duration_option.hpp"
#include "cli/exit_code.hpp"

namespace turnstile::cli {

void add_keeping_options(CLI::App& command, keeping_options& options) {
    const std::map<std::string, lost_policy> policies{
        {"term", lost_policy::terminate}, {"kill", lost_policy::kill}, {"none", lost_policy::none}};
    command.add_flag("--shell", options.shell);
    add_duration(command, "--grace", options.grace);
    command
        .add_option_function<std::string>(
            "--on-lost",
            [&options, policies](const std::string& text) {
                const auto policy = policies.find(text);
                if (policy == policies.end())
                    throw CLI::ValidationError{"--on-lost", text + ": expected term, kill or none"};
                options.on_lost = policy->second;
            })
        ->type_name("{term,kill,none}");
}

void finish(keeping_options& options, const char* example) {
    if (options.command.empty())
        throw CLI::ParseError{std::string{"no command: it stands behind --, as in "} + example,
                              k_usage};
    if (!options.shell) return;
    std::string script;
    for (const auto& word : options.command) script += (script.empty() ? "" : " ") + word;
    options.command = {"/bin/sh", "-c", script};
}

}  // namespace turnstile::cli
