// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <system_error>

#include "cli/completion.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/module_list.hpp"
#include "cli/option_types.hpp"
#include "cli/standard_streams.hpp"
#include "cli/wrong_words.hpp"
#include "support/last_words.hpp"
#include "turnstile/error.hpp"
#include "turnstile/log.hpp"

namespace turnstile::cli {
namespace {

// Removes "--" and the words after it, and returns these words. Does nothing if the subcommand runs no other command,
// because CLI11 then handles "--".
std::vector<std::string> cut_at_dashes(std::vector<std::string>& words) {
    if (words.empty() || !takes_command(words.front())) return {};
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (dashes == words.end()) return {};
    std::vector<std::string> behind{dashes + 1, words.end()};
    words.erase(dashes, words.end());
    return behind;
}

// Adds an empty word after each option with an empty value ("--label="), because CLI11 would take the next word as the
// value.
std::vector<std::string> with_empty_values(const std::vector<std::string>& words) {
    std::vector<std::string> result;
    for (const auto& word : words) {
        result.push_back(word);
        if (word.starts_with("--") && word.find('=') == word.size() - 1) result.emplace_back();
    }
    return result;
}

std::string advice(const CLI::App& program) {
    const auto chosen = program.get_subcommands();
    return "; see: turnstile" + (chosen.empty() ? "" : " " + chosen.front()->get_name()) +
           " --help";
}

// Converts "help run" to "run --help".
std::vector<std::string> with_help_option(std::vector<std::string> words) {
    if (words.empty() || words.front() != "help") return words;
    words.erase(words.begin());
    if (words.size() > 1) words.resize(1);
    words.emplace_back("--help");
    return words;
}

// CLI11 takes the value of a misspelled option for a path, and may then report a different fault. So a message about a
// wrong word replaces CLI11's message.
std::string message_for(const CLI::App& program, const command_line& line,
                        const CLI::ParseError& failure) {
    const auto chosen = program.get_subcommands();
    auto words = program.remaining(true);
    std::erase(words, "--");  // CLI11 keeps the mark
    const auto wrong = chosen.empty()
                           ? std::string{}
                           : unexpected_words(*chosen.front(), words, !line.behind_dashes.empty());
    if (!wrong.empty()) return wrong;
    const std::string text = failure.what();
    const bool lacks_value = failure.get_name() == "ArgumentMismatch" && text.ends_with(" missing");
    return lacks_value ? option_name(text.substr(0, text.find(':'))) + ": a value is missing"
                       : text;
}

// CLI11 also throws for --help and --version.
int answer(const CLI::App& program, const command_line& line, const CLI::ParseError& failure) {
    if (failure.get_exit_code() != 0)
        return complain(message_for(program, line, failure) + advice(program), k_usage);
    program.exit(failure);
    return flush_output() ? k_success : complain("the output could not be written", k_output);
}

int read_and_run(std::vector<std::string> words) {
    CLI::App program;
    program.require_subcommand(1);
    program.set_version_flag("--version", [] { return version_text(installed_modules()); });
    program.formatter_fn([](auto&&...) { return program_help(); });
    command_line line;
    words = with_help_option(std::move(words));
    line.behind_dashes = cut_at_dashes(words);
    add_commands(program, line);
    if (const auto wrong = wrong_first_word(program, words); !wrong.empty())
        return complain(wrong + advice(program), k_usage);
    try {
        words = with_empty_values(words);
        std::reverse(words.begin(), words.end());  // CLI11 expects this order
        program.parse(std::move(words));
    } catch (const CLI::ParseError& failure) {
        return answer(program, line, failure);
    }
    return line.action();
}

}  // namespace

void add_commands(CLI::App& program, command_line& line) {
    add_run_command(program, line);
    add_elect_command(program, line);
    add_ls_command(program, line);
    add_show_command(program, line);
    add_watch_command(program, line);
    add_ask_command(program, line);
    add_take_command(program, line);
    add_mkdir_command(program, line);
    add_sessions_command(program, line);
    add_doctor_command(program, line);
    add_bench_command(program, line);
    add_serve_command(program, line);
    add_dev_command(program, line);
    add_completion_command(program, line);
    add_manual_command(program, line);
}

int run_command_line(std::vector<std::string> words) {
    // The log is for programs. Users of the command get one line for an error.
    set_log_level(log_level::off);
    support::name_lack_of_memory("turnstile");
    try {
        return read_and_run(std::move(words));
    } catch (const std::system_error& failure) {
        const bool ours = failure.code().category() == error_category();
        if (!ours) return complain(explanation_of(failure), k_no_server);
        return complain(failure.what(), exit_code_of(static_cast<errc>(failure.code().value())));
    } catch (const std::bad_alloc&) {
        return complain(
            "out of memory; raise the limit (ulimit -v, memory.max of the control group)",
            k_no_server);
    } catch (const std::exception& failure) {
        return complain(failure.what(), k_usage);
    }
}

}  // namespace turnstile::cli
