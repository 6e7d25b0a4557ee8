// SPDX-License-Identifier: Apache-2.0
// option_types: CLI11 options of several commands: a choice of words, the form of the output, a duration, a path, and
// the names of an HTTP server. A wrong value ends the command before any request.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/duration.hpp"
#include "cli/exit_code.hpp"
#include "turnstile/tools/path.hpp"

namespace turnstile::cli {

// Returns the last name in CLI11's list of an option's names, such as "--wait" for "-w,--wait".
inline std::string option_name(const std::string& names) {
    return names.substr(names.rfind(',') + 1);
}

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

// Adds an option whose value is one of several words.
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

// The output's form, which the option -o selects.
enum class output_form { text, wide, json };

inline void add_output_option(CLI::App& command, output_form& form) {
    add_choice<output_form>(command, "-o,--output", form,
                            {{"text", output_form::text}, {"json", output_form::json}});
}

// Adds the option -o to a command that can print its output in the forms text, wide and json.
inline void add_wide_output_option(CLI::App& command, output_form& form) {
    add_choice<output_form>(
        command, "-o,--output", form,
        {{"text", output_form::text}, {"wide", output_form::wide}, {"json", output_form::json}});
}

// The smallest value of an option that must not be zero.
inline constexpr std::chrono::milliseconds k_shortest_duration{1};

// Adds an option whose value parse_duration() parses.
inline void add_duration_function(CLI::App& command, const std::string& name,
                                  const std::function<void(std::chrono::milliseconds)>& take) {
    command.add_option_function<std::string>(name, [name, take](const std::string& text) {
        const auto value = parse_duration(text);
        if (!value)
            throw CLI::ValidationError{option_name(name),
                                       text + ": expected a duration such as 500ms, 30s, 5m or 1h"};
        take(*value);
    });
}

// Adds an option whose value must be at least `least`.
inline void add_duration(CLI::App& command, const std::string& name,
                         std::chrono::milliseconds& target, std::chrono::milliseconds least = {}) {
    add_duration_function(command, name, [&target, name, least](std::chrono::milliseconds value) {
        if (value < least)
            throw CLI::ValidationError{
                option_name(name), exact_text(value) + ": expected at least " + exact_text(least)};
        target = value;
    });
}

// Checks the path by the servers' rules. Throws CLI::ParseError with the path and the violated rule.
inline void check_path(const std::string& path) {
    if (const auto good = validate_path(path); !good)
        throw CLI::ParseError{good.error().detail(), k_usage};
}

// Checks the path of a lock: as check_path() does, and then whether the path may have a lock. Throws CLI::ParseError.
inline void check_lock_path(const std::string& path) {
    check_path(path);
    if (path == "/") throw CLI::ParseError{"path \"/\": the root cannot be a lock's path", k_usage};
    if (path == "/zookeeper" || path.starts_with("/zookeeper/"))
        throw CLI::ParseError{
            "path \"" + path + "\": /zookeeper belongs to the servers, and can have no lock",
            k_usage};
}

// Adds an option for a folder; "/" is allowed.
inline CLI::Option* add_folder_path(CLI::App& command, const std::string& name,
                                    std::string& target) {
    return command.add_option_function<std::string>(name, [&target](const std::string& path) {
        check_path(path);
        target = path;
    });
}

inline CLI::Option* add_lock_path(CLI::App& command, const std::string& name, std::string& target) {
    return command.add_option_function<std::string>(name, [&target](const std::string& path) {
        check_lock_path(path);
        target = path;
    });
}

// --allow-host NAME: adds a host name under which clients may call the command's HTTP server.
inline void add_host_names(CLI::App& command, std::vector<std::string>& names) {
    // Without allow_extra_args(false), CLI11 removes the brackets of an IPv6 address.
    command.add_option("--allow-host", names)->expected(1)->take_all()->allow_extra_args(false);
}

}  // namespace turnstile::cli
