// SPDX-License-Identifier: Apache-2.0
// wrong_words: messages about words of a command line that fit nothing, with the word that was probably meant.
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

// Returns whether the subcommand runs another command, which follows "--".
[[nodiscard]] bool takes_command(std::string_view subcommand) noexcept;

// Returns the message for a line of `subcommand` that has no command after "--".
[[nodiscard]] std::string no_command(std::string_view subcommand);

// Returns the message for the first word of a line, or an empty text if the word is a subcommand or an option of the
// program.
[[nodiscard]] std::string wrong_first_word(const CLI::App& program,
                                           const std::vector<std::string>& words);

// Returns the message for words that no option and no path of `command` took, in the order of the line; an empty text
// if the words may be paths. `has_command`: another command follows "--".
[[nodiscard]] std::string unexpected_words(const CLI::App& command,
                                           const std::vector<std::string>& words, bool has_command);

}  // namespace turnstile::cli
