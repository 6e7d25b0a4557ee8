// SPDX-License-Identifier: Apache-2.0
// wrong_words: makes messages about unknown words of a command line, with suggestions.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace turnstile::cli {

// True if the subcommand runs another command, which follows "--".
[[nodiscard]] bool takes_command(std::string_view subcommand) noexcept;

// Returns the message for a command line of `subcommand` without a command after "--".
[[nodiscard]] std::string no_command(std::string_view subcommand);

// Returns the message for a wrong first word, or an empty text if the word is a subcommand or an option of the program.
[[nodiscard]] std::string wrong_first_word(const CLI::App& program,
                                           const std::vector<std::string>& words);

// Returns the message for words that are neither options nor paths of `command`; an empty text if they may be paths.
// `has_command`: another command follows "--".
[[nodiscard]] std::string unexpected_words(const CLI::App& command,
                                           const std::vector<std::string>& words, bool has_command);

}  // namespace turnstile::cli
