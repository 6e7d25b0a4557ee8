// SPDX-License-Identifier: Apache-2.0
// choice_option: a CLI11 option whose value is one of several words.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/option_name.hpp"

namespace turnstile::cli {

template <class T>
using choices = std::vector<std::pair<std::string, T>>;

// Returns a text such as "term, kill or none".
template <class T>
std::string words_of(const choices<T>& all) {
    std::string text;
    for (std::size_t i = 0; i != all.size(); ++i) {
        if (i != 0) text += i + 1 == all.size() ? " or " : ", ";
        text += all[i].first;
    }
    return text;
}

// Returns a text such as "{term,kill,none}", from which completion.cpp reads the option's allowed values.
template <class T>
std::string type_of(const choices<T>& all) {
    std::string text;
    for (const auto& each : all) text += (text.empty() ? "{" : ",") + each.first;
    return text + "}";
}

template <class T>
CLI::Option* add_choice(CLI::App& command, const std::string& name, T& chosen,
                        const choices<T>& all) {
    const auto choose = [name, &chosen, all](const std::string& text) {
        for (const auto& [word, value] : all) {
            if (word != text) continue;
            chosen = value;
            return;
        }
        throw CLI::ValidationError{option_name(name), text + ": expected " + words_of(all)};
    };
    return command.add_option_function<std::string>(name, choose)->type_name(type_of(all));
}

}  // namespace turnstile::cli
