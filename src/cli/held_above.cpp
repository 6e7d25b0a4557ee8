// SPDX-License-Identifier: Apache-2.0
#include "cli/held_above.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/complaint.hpp"
#include "cli/exit_code.hpp"
#include "cli/printable.hpp"
#include "cli/servers.hpp"

namespace turnstile::cli {
namespace {

constexpr const char* k_variable = "TURNSTILE_HELD";

struct held_lock {
    std::string kind;
    std::string path;
};

std::string inherited() {
    const char* const text = std::getenv(k_variable);
    return text == nullptr ? std::string{} : std::string{text};
}

std::vector<held_lock> held_above() {
    std::vector<held_lock> held;
    std::istringstream lines{inherited()};
    for (std::string line; std::getline(lines, line);) {
        const auto blank = line.find(' ');
        if (blank != std::string::npos)
            held.push_back({line.substr(0, blank), line.substr(blank + 1)});
    }
    return held;
}

const char* name_of(wanted_kind kind) {
    switch (kind) {
        case wanted_kind::mutex: return "mutex";
        case wanted_kind::exclusive: return "exclusive";
        case wanted_kind::shared: return "shared";
        case wanted_kind::permits: break;
    }
    return "permits";
}

// Whether a hold of this kind lets a command do what `wanted` is for. Permits are counted: one more is another hold.
bool suffices(std::string_view held, wanted_kind wanted) {
    if (wanted == wanted_kind::permits) return false;
    return held == name_of(wanted) || (held == "exclusive" && wanted == wanted_kind::shared);
}

int become(const std::vector<std::string>& command) {
    withdraw_password();
    std::vector<char*> words;
    for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    const int failure = errno;
    return complain(command.front() + ": " + std::strerror(failure), exit_code_of_exec(failure));
}

int reenter(const run_options& options, const std::vector<held_lock>& above) {
    for (const auto& path : options.paths) {
        const bool held = std::any_of(above.begin(), above.end(), [&](const held_lock& lock) {
            return lock.path == path && suffices(lock.kind, options.kind);
        });
        if (!held)
            return complain(printable(path) + ": no turnstile run above holds it as " +
                                name_of(options.kind) + ", which --reenter needs for each PATH",
                            k_usage);
    }
    return become(options.keeping.command);
}

}  // namespace

std::string held_with(const run_options& options) {
    auto text = inherited();
    for (const auto& path : options.paths)
        text += (text.empty() ? "" : "\n") + std::string{name_of(options.kind)} + ' ' + path;
    return std::string{k_variable} + '=' + text;
}

std::optional<int> end_at_held_lock(const run_options& options) {
    const auto above = held_above();
    const auto held = std::find_if(above.begin(), above.end(), [&](const held_lock& lock) {
        const auto& paths = options.paths;
        return std::find(paths.begin(), paths.end(), lock.path) != paths.end();
    });
    if (held == above.end()) return std::nullopt;
    if (options.reenter) return reenter(options, above);
    if (options.try_only || options.wait.count() > 0) return std::nullopt;
    return complain(printable(held->path) +
                        ": a turnstile run above this command holds it (TURNSTILE_HELD), and each "
                        "would wait for the other: --reenter runs the command under that hold, "
                        "--try and --wait end the wait; with other servers unset TURNSTILE_HELD",
                    k_usage);
}

}  // namespace turnstile::cli
