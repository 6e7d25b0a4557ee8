// SPDX-License-Identifier: Apache-2.0
// The completion scripts for the shells. They send no requests to servers, so that completion is immediate.
#include "cli/completion.hpp"

namespace turnstile::cli {
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
