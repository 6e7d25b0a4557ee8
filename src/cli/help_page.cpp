// SPDX-License-Identifier: Apache-2.0
#include "cli/help_page.hpp"

#include <algorithm>
#include <sstream>

namespace turnstile::cli {
namespace {

constexpr std::string_view k_usage_label = "Usage:";

std::vector<std::vector<std::string>> split_blocks(std::string_view text) {
    std::vector<std::vector<std::string>> blocks{{}};
    std::istringstream lines{std::string{text}};
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) {
            blocks.back().push_back(line);
        } else if (!blocks.back().empty()) {
            blocks.emplace_back();
        }
    }
    if (blocks.back().empty()) blocks.pop_back();
    return blocks;
}

std::string trimmed(std::string_view text) {
    const auto from = text.find_first_not_of(' ');
    if (from == std::string_view::npos) return {};
    return std::string{text.substr(from, text.find_last_not_of(' ') - from + 1)};
}

bool begins_item(std::string_view line) {
    return line.size() > 2 && line.starts_with("  ") && line[2] != ' ';
}

// Parses lines such as "  --grace DURATION  from SIGTERM to SIGKILL" and their continuation lines.
std::vector<help_item> items_of(const std::vector<std::string>& lines) {
    std::vector<help_item> items;
    for (const auto& line : lines) {
        if (!begins_item(line)) {
            if (items.empty()) continue;
            auto& text = items.back().text;
            text += (text.empty() ? "" : " ") + trimmed(line);
            continue;
        }
        const auto gap = line.find("  ", 2);
        items.push_back({trimmed(line.substr(0, gap)),
                         gap == std::string::npos ? "" : trimmed(line.substr(gap))});
    }
    return items;
}

help_block block_of(std::vector<std::string> lines) {
    help_block block;
    if (lines.front().ends_with(':') && !lines.front().starts_with(' ') && lines.size() > 1) {
        block.title = lines.front().substr(0, lines.front().size() - 1);
        lines.erase(lines.begin());
    }
    const bool example = block.title.starts_with("Example");
    const bool listed = std::all_of(lines.begin(), lines.end(),
                                    [](const auto& line) { return line.starts_with("  "); });
    if (example) {
        block.shape = help_block::form::verbatim;
    } else if (listed && begins_item(lines.front())) {
        block.shape = help_block::form::items;
        block.items = items_of(lines);
    }
    block.lines = std::move(lines);
    return block;
}

// Compares whole words, so that --wait does not match --wait-for.
bool has_name(const std::string& term, std::string_view name) {
    std::istringstream words{term};
    for (std::string word; words >> word;) {
        if (word.ends_with(',')) word.pop_back();
        if (word == name) return true;
    }
    return false;
}

// ---- roff ----

std::string escaped(std::string_view text) {
    std::string result;
    for (const char symbol : text) {
        if (symbol == '\\') {
            result += "\\e";
        } else if (symbol == '-') {
            result += "\\-";
        } else {
            result += symbol;
        }
    }
    if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
    return result;
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return text;
}

std::string as_roff(const help_block& block, bool& in_options) {
    std::string text;
    if (!block.title.empty()) {
        const bool own = block.title.starts_with("Example") || block.title == "Exit codes";
        if (!own && !in_options && block.shape == help_block::form::items) {
            text += ".SH OPTIONS\n";
            in_options = true;
        }
        in_options = in_options && !own;
        text +=
            (in_options ? ".SS " + escaped(block.title) : ".SH " + upper(escaped(block.title))) +
            "\n";
    } else if (block.shape == help_block::form::items) {
        text += ".SH OPTIONS\n";
        in_options = true;
    } else {
        text += in_options ? ".SH NOTES\n" : ".PP\n";
        in_options = false;
    }
    if (block.shape == help_block::form::verbatim) text += ".nf\n";
    for (const auto& item : block.items)
        text += ".TP\n\\fB" + escaped(item.term) + "\\fR\n" + escaped(item.text) + "\n";
    if (block.items.empty())
        for (const auto& line : block.lines) text += escaped(line) + "\n";
    if (block.shape == help_block::form::verbatim) text += ".fi\n";
    return text;
}

}  // namespace

help_page parse_help(std::string_view text) {
    help_page page;
    for (auto& lines : split_blocks(text)) {
        if (page.summary.empty()) {
            page.summary = std::move(lines);
        } else if (page.usage.empty() && lines.front().starts_with(k_usage_label)) {
            lines.front().erase(0, k_usage_label.size());
            for (const auto& line : lines) page.usage.push_back(trimmed(line));
        } else {
            page.blocks.push_back(block_of(std::move(lines)));
        }
    }
    return page;
}

std::string text_of_option(const help_page& page, std::string_view name) {
    for (const auto& block : page.blocks)
        for (const auto& item : block.items)
            if (has_name(item.term, name)) return item.text;
    return {};
}

std::string manual_page(const std::string& name, const std::string& title, const help_page& page) {
    std::string text = ".\\\" SPDX-License-Identifier: Apache-2.0\n.TH " + upper(escaped(name)) +
                       " 1 \"\" \"turnstile\" \"User Commands\"\n.SH NAME\n" + escaped(name) +
                       " \\- " + escaped(title) + "\n.SH SYNOPSIS\n";
    for (const auto& line : page.usage) text += ".B " + escaped(line) + "\n.br\n";
    text += ".SH DESCRIPTION\n";
    for (const auto& line : page.summary) text += escaped(line) + "\n";
    bool in_options = false;
    for (const auto& block : page.blocks) text += as_roff(block, in_options);
    return text;
}

}  // namespace turnstile::cli
