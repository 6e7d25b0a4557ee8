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

// The completion scripts for the shells. They send no requests to servers, so that completion is immediate.
namespace {

std::string spaced(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string all_names(const suggested_command& command) {
    std::string text;
    for (const auto& option : command.options)
        text += (text.empty() ? "" : " ") + spaced(option.names);
    return text;
}

// Puts a description in single quotes for a shell. Removes the characters that are special in zsh.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char symbol : text)
        if (symbol == '\'') {
            result += "'\\''";
        } else if (symbol == '[') {
            result += '(';
        } else if (symbol == ']') {
            result += ')';
        } else {
            result += symbol == ':' ? ';' : symbol;
        }
    return result + "'";
}

std::string unquoted(const std::string& text) {
    const auto quotes = quoted(text);
    return quotes.substr(1, quotes.size() - 2);
}

std::string bash_case(const suggested_command& command) {
    std::string text;
    for (const auto& option : command.options) {
        if (!option.takes_value) continue;
        for (const auto& name : option.names) {
            text += "        " + command.name + ":" + name + ") ";
            text += option.takes_file ? "compopt -o default 2>/dev/null"
                                      : "mapfile -t COMPREPLY < <(compgen -W '" +
                                            spaced(option.choices) + "' -- \"$word\")";
            text += "; return ;;\n";
        }
    }
    return text;
}

std::string zsh_option(const suggested_option& option, const std::string& name) {
    std::string value;
    if (option.takes_file) {
        value = ":file:_files";
    } else if (!option.choices.empty()) {
        value = ":value:(" + spaced(option.choices) + ")";
    } else if (option.takes_value) {
        value = ":value: ";
    }
    return "'" + name + "[" + unquoted(option.text) + "]" + value + "'";
}

std::string fish_option(const suggested_command& command, const suggested_option& option) {
    std::string text =
        "complete -c turnstile -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const auto& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.takes_file) {
        text += " -r -F";
    } else if (option.takes_value) {
        text += " -x";
    }
    if (!option.choices.empty()) text += " -a '" + spaced(option.choices) + "'";
    return text + " -d " + quoted(option.text) + "\n";
}

}  // namespace

std::string bash_completion(const std::vector<suggested_command>& commands) {
    std::string names;
    std::string values;
    std::string options;
    for (const auto& command : commands) {
        names += (names.empty() ? "" : " ") + command.name;
        values += bash_case(command);
        options += "        " + command.name + ") words='" + all_names(command) + "' ;;\n";
    }
    return R"(# bash completion for turnstile
_turnstile() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' words='' i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; ++i)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then
            # Words after -- belong to another command.
            ((i + 1 == COMP_CWORD)) && mapfile -t COMPREPLY < <(compgen -c -- "$word")
            compopt -o default 2>/dev/null
            return
        fi
        [[ -z $command && ${COMP_WORDS[i]} != -* ]] && command=${COMP_WORDS[i]}
    done
    case $command:$before in
)" + values +
           R"(    esac
    case $command in
        '') words=')" +
           names + R"( --help --version' ;;
)" + options +
           R"(    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _turnstile turnstile
)";
}

std::string zsh_completion(const std::vector<suggested_command>& commands) {
    std::string names;
    std::string cases;
    for (const auto& command : commands) {
        names += "        '" + command.name + ":" + unquoted(command.text) + "'\n";
        cases += "        " + command.name + ")\n            _arguments \\\n";
        for (const auto& option : command.options)
            for (const auto& name : option.names)
                cases += "                " + zsh_option(option, name) + " \\\n";
        cases += std::string{"                "} +
                 (command.runs_command ? "'*::command:_normal'" : "'*: : '") + "\n            ;;\n";
    }
    return "#compdef turnstile\n_turnstile() {\n    local -a commands\n    commands=(\n" + names +
           R"(    )
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    ((CURRENT -= 1))
    case $command in
)" + cases +
           "    esac\n}\nif [[ $funcstack[1] == _turnstile ]]; then\n    _turnstile \"$@\"\nelse\n"
           "    compdef _turnstile turnstile\nfi\n";
}

std::string fish_completion(const std::vector<suggested_command>& commands) {
    std::string text = "# fish completion for turnstile\ncomplete -c turnstile -f\n";
    for (const auto& command : commands) {
        text += "complete -c turnstile -n __fish_use_subcommand -a " + command.name + " -d " +
                quoted(command.text) + "\n";
        for (const auto& option : command.options) text += fish_option(command, option);
        if (command.runs_command)
            text +=
                "complete -c turnstile -n 'contains -- -- (commandline -opc)' -x -a "
                "'(__fish_complete_subcommand)'\n";
    }
    return text;
}

}  // namespace turnstile::cli
