// SPDX-License-Identifier: Apache-2.0
#include "cli/keeping_options.hpp"

#include <CLI/CLI.hpp>
#include <map>

#include "cli/duration_option.hpp"
#include "cli/exit_code.hpp"

namespace turnstile::cli {
namespace {

// The message uses `words` ("term, kill or none"), and the shell's completion uses "{term,kill,none}".
template <class T>
void add_choice(CLI::App& command, const std::string& name, T& chosen,
                const std::map<std::string, T>& choices, const std::string& words,
                const std::string& type) {
    command
        .add_option_function<std::string>(
            name,
            [name, &chosen, choices, words](const std::string& text) {
                const auto choice = choices.find(text);
                if (choice == choices.end())
                    throw CLI::ValidationError{name, text + ": expected " + words};
                chosen = choice->second;
            })
        ->type_name(type);
}

}  // namespace

void add_keeping_options(CLI::App& command, keeping_options& options) {
    command.add_flag("--shell", options.shell);
    add_duration(command, "--grace", options.grace);
    add_choice<lost_policy>(command, "--on-lost", options.on_lost,
                            {{"term", lost_policy::terminate},
                             {"kill", lost_policy::kill},
                             {"none", lost_policy::none}},
                            "term, kill or none", "{term,kill,none}");
    add_choice<guard_choice>(command, "--guard", options.guard,
                             {{"auto", guard_choice::automatic},
                              {"cgroup", guard_choice::cgroup},
                              {"children", guard_choice::children}},
                             "auto, cgroup or children", "{auto,cgroup,children}");
    command.add_option("--lost-exit-code", options.lost_exit_code)->check(CLI::Range(1, 255));
}

void finish(keeping_options& options, const char* example) {
    if (options.command.empty())
        throw CLI::ParseError{std::string{"no command: give it after --, as in "} + example,
                              k_usage};
    if (!options.shell) return;
    std::string script;
    for (const auto& word : options.command) script += (script.empty() ? "" : " ") + word;
    options.command = {"/bin/sh", "-c", script};
}

}  // namespace turnstile::cli
