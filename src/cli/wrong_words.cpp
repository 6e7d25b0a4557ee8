// SPDX-License-Identifier: Apache-2.0
#include "cli/wrong_words.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace turnstile::cli {
namespace {

using word_pair = std::pair<std::string_view, std::string_view>;

// The subcommands that run a command, each with an example.
constexpr std::array<word_pair, 3> k_examples{{
    {"run", "turnstile run /locks/a -- date"},
    {"elect", "turnstile elect /election/a -- ./serve"},
    {"dev", "turnstile dev -- bash"},
}};

// Commands of other lock programs, each with this program's command.
constexpr std::array<word_pair, 8> k_other_commands{{
    {"list", "ls"},
    {"lock", "run"},
    {"exec", "run"},
    {"status", "show"},
    {"unlock", "take"},
    {"version", "--version"},
    {"-v", "--version"},
    {"-V", "--version"},
}};
// Options of other lock programs, each with an option of this program. A word may occur in several rows, because
// subcommands have different options.
constexpr std::array<word_pair, 15> k_other_options{{
    {"--timeout", "--wait"},
    {"--timeout", "--connect-timeout"},
    {"--nonblock", "--try"},
    {"--non-blocking", "--try"},
    {"--no-wait", "--try"},
    {"--ttl", "--session-timeout"},
    {"--name", "--label"},
    {"--name", "--id"},
    {"--period", "--once-per"},
    {"-c", "--shell"},
    {"--command", "--shell"},
    {"--zookeeper", "--servers"},
    {"--host", "--servers"},
    {"--port", "--listen"},
    {"--json", "--output"},
}};

constexpr std::size_t k_longest_word = 40;  // no name here is longer

// Returns the edit distance: the number of insertions, removals, replacements and swaps of neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> steps(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            auto& step = steps[i][j];
            step = i + j;
            if (i == 0 || j == 0) continue;
            const std::size_t replaced = a[i - 1] == b[j - 1] ? 0 : 1;
            step = std::min(
                {steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                step = std::min(step, steps[i - 2][j - 2] + 1);
        }
    }
    return steps[a.size()][b.size()];
}

// Returns the name with the smallest edit distance from the word, if that distance is small. Otherwise returns a name
// that begins with the word, or an empty text if no name does.
std::string nearest(std::string_view word, const std::vector<std::string>& names) {
    constexpr std::size_t k_shortest_beginning = 5;
    if (word.size() > k_longest_word) return {};
    std::string found;
    std::size_t least = word.size() > k_shortest_beginning ? 3 : 2;
    for (const auto& name : names) {
        const auto steps = distance(word, name);
        if (steps >= least) continue;
        least = steps;
        found = name;
    }
    if (!found.empty() || word.size() < k_shortest_beginning) return found;
    const auto longer = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
        return name.starts_with(word);
    });
    return longer == names.end() ? std::string{} : *longer;
}

template <std::size_t N>
std::string meant(std::string_view word, const std::array<word_pair, N>& others,
                  const std::vector<std::string>& names) {
    for (const auto& [other, ours] : others)
        if (other == word && std::find(names.begin(), names.end(), ours) != names.end())
            return std::string{ours};
    return nearest(word, names);
}

std::string question(const std::string& name) {
    return name.empty() ? "" : " (did you mean " + name + "?)";
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto* option : command.get_options())
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

std::vector<std::string> command_names(const CLI::App& program) {
    std::vector<std::string> names{"help", "--help", "--version"};
    for (const auto* command : program.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

std::string wrong_option(const CLI::App& command, const std::string& word) {
    const auto name = word.substr(0, word.find('='));
    return "there is no option '" + name + "'" +
           question(meant(name, k_other_options, option_names(command)));
}

}  // namespace

bool takes_command(std::string_view subcommand) noexcept {
    return std::any_of(k_examples.begin(), k_examples.end(),
                       [&](const word_pair& each) { return each.first == subcommand; });
}

std::string no_command(std::string_view subcommand) {
    std::string text = "no command: give it after --";
    for (const auto& [name, example] : k_examples)
        if (name == subcommand) text += ", as in " + std::string{example};
    return text;
}

// Needed because CLI11 reports a misspelled subcommand as a missing subcommand.
std::string wrong_first_word(const CLI::App& program, const std::vector<std::string>& words) {
    if (words.empty()) return "a command is required";
    const auto& first = words.front();
    const auto is_first = [&](const CLI::App* command) { return command->check_name(first); };
    if (!program.get_subcommands(is_first).empty()) return {};
    const auto hint = question(meant(first, k_other_commands, command_names(program)));
    if (!first.starts_with('-')) return "there is no command '" + first + "'" + hint;
    if (program.get_option_no_throw(first) != nullptr) return {};
    return "there is no option '" + first + "' in front of a command" + hint;
}

std::string unexpected_words(const CLI::App& command, const std::vector<std::string>& words,
                             bool has_command) {
    if (words.empty()) return {};
    // Recognizes a word that probably belongs to the command, because the user forgot "--".
    const auto is_name = [](const std::string& word) {
        return !word.starts_with('-') && !word.starts_with('/');
    };
    const auto name = std::find_if(words.begin(), words.end(), is_name);
    const auto option = std::find_if(words.begin(), words.end(),
                                     [](const auto& word) { return word.starts_with('-'); });
    if (name < option && takes_command(command.get_name()) && !has_command)
        return no_command(command.get_name());
    if (option != words.end()) return wrong_option(command, *option);
    return command.get_allow_extras() ? "" : "'" + words.front() + "' is one word too many";
}

}  // namespace turnstile::cli
