// SPDX-License-Identifier: Apache-2.0
// help_page: a page of --help taken apart, from which manual pages and completions are made.
//
// Thread safety: values and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::cli {

// "--grace DURATION" and what it means.
struct help_item {
    std::string term;
    std::string text;
};

// What stands between two blank lines.
struct help_block {
    enum class form { paragraph, items, verbatim };
    form shape = form::paragraph;
    std::string title;               // "Servers"; empty: none
    std::vector<std::string> lines;  // of a paragraph; as they stand where verbatim
    std::vector<help_item> items;
};

struct help_page {
    std::vector<std::string> summary;  // the first block
    std::vector<std::string> usage;    // without "Usage:"
    std::vector<help_block> blocks;    // the rest
};

[[nodiscard]] help_page parse_help(std::string_view text);

// What the page says of an option, by one of its names ("--grace", "-n"); empty if it does not stand there.
[[nodiscard]] std::string text_of_option(const help_page& page, std::string_view name);

// As a manual page (man 7 man) named `name`, which `title` describes in one line.
[[nodiscard]] std::string manual_page(const std::string& name, const std::string& title,
                                      const help_page& page);

}  // namespace turnstile::cli
