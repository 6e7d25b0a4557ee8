// SPDX-License-Identifier: Apache-2.0
// help_page: a parsed page of --help, for the generation of manual pages and completions.
//
// Thread safety: values and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::cli {

// An option and its description, such as "--grace DURATION".
struct help_item {
    std::string term;
    std::string text;
};

// A block of a help page: the lines between two empty lines.
struct help_block {
    enum class form { paragraph, items, verbatim };
    form shape = form::paragraph;
    std::string title;               // "Servers"; may be empty
    std::vector<std::string> lines;  // lines of a paragraph, or verbatim lines
    std::vector<help_item> items;
};

struct help_page {
    std::vector<std::string> summary;  // the first block
    std::vector<std::string> usage;    // without "Usage:"
    std::vector<help_block> blocks;    // the rest
};

[[nodiscard]] help_page parse_help(std::string_view text);

// Returns an option's description; empty if the page does not have the option. `name`: any of the option's names
// ("--grace", "-n").
[[nodiscard]] std::string text_of_option(const help_page& page, std::string_view name);

// Returns a manual page (man 7 man). `title`: a description of the command in one line.
[[nodiscard]] std::string manual_page(const std::string& name, const std::string& title,
                                      const help_page& page);

}  // namespace turnstile::cli
