// SPDX-License-Identifier: Apache-2.0
// Helpers for the tests of the testing kit (turnstile::testing): the state of a process, and a process that tests may
// kill.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <sstream>
#include <string>
#include <string_view>

#include "support/kernel_file.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace kit_test {

// Returns the letter of the process's state (proc(5)), or 'X' if the process has ended.
inline char state_of(pid_t pid) {
    const auto stat = turnstile::support::stat_behind_name(pid);
    return stat.empty() ? 'X' : stat.front();
}

// Returns true if the process has neither ended nor become a zombie.
inline bool alive(pid_t pid) {
    const char state = state_of(pid);
    return state != 'Z' && state != 'X';
}

// Returns the rest of the first line that starts with `key` and a space, or an empty text if no line does.
inline std::string line_after(const std::string& text, std::string_view key) {
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(std::string{key} + " ")) return line.substr(key.size() + 1);
    }
    return {};
}

inline pid_t pid_after(const std::string& text, std::string_view key) {
    const auto rest = line_after(text, key);
    return rest.empty() ? 0 : static_cast<pid_t>(std::stol(rest));
}

// Runs kit_victim, and waits until it prints READY.
class victim {
public:
    explicit victim(const std::string& scene)
        : process_{{.command = {KIT_VICTIM, scene}, .output = folder_.path() / "output"}},
          ready_{process_.wait_for_output("READY")} {}

    [[nodiscard]] bool ready() const { return ready_; }
    [[nodiscard]] std::string output() const { return process_.output(); }
    // Kills only this process and not its children, as the kernel does when memory is exhausted.
    [[nodiscard]] bool die() {
        ::kill(process_.pid(), SIGKILL);
        return process_.wait();
    }

private:
    turnstile::testing::temporary_folder folder_;
    turnstile::testing::process process_;
    bool ready_;
};

}  // namespace kit_test
