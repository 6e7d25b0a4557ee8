// SPDX-License-Identifier: Apache-2.0
#include "cli/held_above.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_start.hpp"
#include "cli/exit_code.hpp"
#include "cli/servers.hpp"
#include "cli/standard_streams.hpp"
#include "support/kernel_file.hpp"
#include "support/visible.hpp"

namespace turnstile::cli {
namespace {

constexpr const char* k_variable = "TURNSTILE_HELD";

struct held_lock {
    std::string kind;
    std::string run;
    std::string path;
};

struct process_entry {
    pid_t parent = 0;
    std::string start;  // in clock ticks since the boot
};

process_entry entry_of(pid_t process) {
    std::istringstream fields{support::stat_behind_name(process)};
    constexpr int k_parent = 2;
    constexpr int k_start = 20;
    process_entry entry;
    std::string field;
    for (int number = 1; number <= k_start && fields >> field; ++number) {
        if (number == k_parent) entry.parent = std::atoi(field.c_str());
        if (number == k_start) entry.start = field;
    }
    return entry;
}

std::string own_namespace() {
    std::array<char, 64> name{};
    const auto length = ::readlink("/proc/self/ns/pid", name.data(), name.size());
    return {name.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

// Includes the start time, because the kernel reuses process ids. The result has no blanks.
std::string name_of_process(pid_t process) {
    return std::to_string(process) + '@' + entry_of(process).start + '@' + own_namespace();
}

bool is_in_own_namespace(const std::string& run) {
    const auto space = own_namespace();
    return !space.empty() && run.ends_with('@' + space);
}

bool is_ancestor(const std::string& run) {
    for (pid_t each = ::getppid(); each > 0; each = entry_of(each).parent)
        if (name_of_process(each) == run) return true;
    return false;
}

std::string text_of(const held_lock& lock) {
    return lock.kind + ' ' + lock.run + ' ' + lock.path;
}

// Returns the locks of the `turnstile run` processes that are ancestors of this process. Also returns the locks of
// each `turnstile run` in another PID namespace, because this process cannot see whether it is an ancestor.
std::vector<held_lock> held_above() {
    const char* const text = std::getenv(k_variable);
    std::vector<held_lock> held;
    std::istringstream lines{text == nullptr ? "" : text};
    held_lock next;
    while (lines >> next.kind >> next.run && lines.get() == ' ' && std::getline(lines, next.path))
        if (!is_in_own_namespace(next.run) || is_ancestor(next.run)) held.push_back(next);
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

// True if a `turnstile run` that wants a lock of the kind `wanted` may use the hold of an outer `turnstile run`, whose
// kind is `held`. A `turnstile run` that wants permits may use no outer hold, because each permit is a separate hold.
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
    return complain(failure_text(command, failure), exit_code_of_exec(failure));
}

int reenter(const run_options& options, const std::vector<held_lock>& above) {
    for (const auto& path : options.paths) {
        const bool hidden = std::any_of(above.begin(), above.end(), [&](const held_lock& lock) {
            return lock.path == path && !is_in_own_namespace(lock.run);
        });
        if (hidden)
            return complain(
                support::visible(path) +
                    ": TURNSTILE_HELD names a turnstile run of another PID namespace, so --reenter "
                    "cannot find out whether that run still holds the lock; to acquire the lock, "
                    "omit --reenter and unset TURNSTILE_HELD",
                k_usage);
        const bool held = std::any_of(above.begin(), above.end(), [&](const held_lock& lock) {
            return lock.path == path && suffices(lock.kind, options.kind);
        });
        if (!held)
            return complain(support::visible(path) +
                                ": no turnstile run that started this one holds the lock as " +
                                name_of(options.kind) +
                                "; --reenter needs such a run for each PATH",
                            k_usage);
    }
    return become(options.keeping.command);
}

}  // namespace

std::string held_with(const run_options& options) {
    auto all = held_above();
    const auto run = name_of_process(::getpid());
    for (const auto& path : options.paths) all.push_back({name_of(options.kind), run, path});
    std::string text;
    for (const auto& each : all) text += (text.empty() ? "" : "\n") + text_of(each);
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
    return complain(
        support::visible(held->path) +
            ": a turnstile run that started this one holds the lock (TURNSTILE_HELD), so the two "
            "runs would wait for each other. --reenter runs the command under that hold, and --try "
            "and --wait limit the wait. If the lock is on other servers, unset TURNSTILE_HELD",
        k_usage);
}

std::optional<int> end_at_held_election(const std::string& path) {
    for (const auto& lock : held_above()) {
        if (lock.path != path) continue;
        return complain(support::visible(path) +
                            ": a turnstile run that started this election holds the lock "
                            "(TURNSTILE_HELD), so the run and the election would wait for each "
                            "other: give one of them another path. If the lock is on other "
                            "servers, unset TURNSTILE_HELD",
                        k_usage);
    }
    return std::nullopt;
}

}  // namespace turnstile::cli
