// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/help_page.hpp"
#include "cli/option_types.hpp"
#include "cli/standard_streams.hpp"

namespace turnstile::cli {
namespace {

// Parses a text such as "{text,wide,json}", which CLI11 stores as a value's type.
std::vector<std::string> choices_in(const std::string& type) {
    std::vector<std::string> choices;
    const auto open = type.find('{');
    const auto close = type.find('}', open);
    if (open == std::string::npos || close == std::string::npos) return choices;
    std::istringstream words{type.substr(open + 1, close - open - 1)};
    for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
    return choices;
}

suggested_option option_of(const CLI::Option& option, const help_page& page) {
    suggested_option result;
    for (const auto& name : option.get_lnames()) result.names.push_back("--" + name);
    for (const auto& name : option.get_snames()) result.names.push_back("-" + name);
    result.text = text_of_option(page, result.names.front());
    result.takes_value = option.get_items_expected_max() > 0;
    result.takes_file = result.names.front().ends_with("-file");
    result.choices = choices_in(option.get_type_name());
    return result;
}

int print_whole(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return flush_output() ? k_success : complain("the output could not be written", k_output);
}

int print_completion(const CLI::App& program, const std::string& shell) {
    const auto commands = suggested_commands(program);
    if (shell == "bash") return print_whole(bash_completion(commands));
    if (shell == "zsh") return print_whole(zsh_completion(commands));
    return print_whole(fish_completion(commands));
}

int print_manual(const CLI::App& program, const std::string& command) {
    if (command.empty())
        return print_whole(
            manual_page("turnstile", "fair distributed locks", parse_help(program_help())));
    for (const auto& each : suggested_commands(program))
        if (each.name == command)
            return print_whole(manual_page("turnstile-" + command, each.text,
                                           parse_help(program.get_subcommand(command)->help())));
    return complain(command + ": there is no such command", k_usage);
}

}  // namespace

std::vector<suggested_command> suggested_commands(const CLI::App& program) {
    const auto overview = parse_help(program_help());
    std::vector<suggested_command> commands;
    for (const auto* command : program.get_subcommands({})) {
        const auto page = parse_help(command->help());
        suggested_command found{.name = command->get_name(),
                                .text = text_of_option(overview, command->get_name()),
                                .runs_command = false,
                                .options = {}};
        for (const auto& usage : page.usage)
            found.runs_command =
                found.runs_command || usage.find("-- COMMAND") != std::string::npos;
        for (const auto* option : command->get_options())
            if (option->nonpositional()) found.options.push_back(option_of(*option, page));
        commands.push_back(std::move(found));
    }
    return commands;
}

void add_completion_command(CLI::App& program, command_line& line) {
    auto& command = *program.add_subcommand("completion");
    command.formatter_fn([](auto&&...) { return completion_help(); });
    const auto shell = std::make_shared<std::string>();
    add_choice<std::string>(command, "SHELL", *shell,
                            {{"bash", "bash"}, {"zsh", "zsh"}, {"fish", "fish"}})
        ->required();
    command.final_callback([&program, &line, shell] {
        line.action = [&program, shell] { return print_completion(program, *shell); };
    });
}

void add_manual_command(CLI::App& program, command_line& line) {
    auto& command = *program.add_subcommand("manual");
    command.formatter_fn([](auto&&...) { return manual_help(); });
    const auto name = std::make_shared<std::string>();
    command.add_option("COMMAND", *name);
    command.final_callback([&program, &line, name] {
        line.action = [&program, name] { return print_manual(program, *name); };
    });
}

}  // namespace turnstile::cli
