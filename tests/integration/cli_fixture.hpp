// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of the command line: `turnstile run` as a process on a real server, and an independent judge.
//
// The judge is a file lock. Each command takes it without waiting, as flock(1) does, and the kernel frees it when all
// processes of the command have ended. If a command finds the file locked, it overlaps with another command.
#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "proc.hpp"
#include "support.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {

using words = std::vector<std::string>;

// Exit code of a command that found the file of judge() locked, because another command still ran.
inline constexpr int k_overlap = 99;
// A session timeout that is longer than any wait of a test, so no session expires.
inline constexpr auto k_long_session = "60s";

inline words operator+(words first, const words& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

inline std::string text_of_file(const std::filesystem::path& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
}

class cli : public ::testing::Test {
protected:
    // Returns the command line of `turnstile run` on this test's server. `options` go between `run` and the command.
    static words run(const words& options, const words& command) {
        return words{TURNSTILE_PROGRAM, "run", "--tick", "200ms", "--sync-limit", "10"} + options +
               words{"--"} + command;
    }
    // Returns a command that prints `word` and ignores SIGTERM. Only one such command may run at a time.
    [[nodiscard]] words stubborn(const std::string& word) const {
        return judged("trap '' TERM; echo " + word + "; while :; do tail -f /dev/null; done");
    }
    // Returns a command that succeeds if no other command runs, by the lock on the file of judge().
    [[nodiscard]] words alone() const { return judged("echo alone"); }
    [[nodiscard]] words judged(const std::string& script) const {
        return {"sh", "-c",
                "exec 9>>" + judge() + "; flock -n 9 || exit " + std::to_string(k_overlap) + "; " +
                    script};
    }
    [[nodiscard]] testing::process start(const words& command, words environment = {}) const {
        return start_at(server().connect_string(), command, std::move(environment));
    }
    [[nodiscard]] testing::process start_at(const std::string& servers, const words& command,
                                            words environment = {}) const {
        environment.push_back("TURNSTILE_SERVERS=" + servers);
        return testing::process{
            {.command = command, .environment = std::move(environment), .output = log()}};
    }
    // Runs the command to its end. Returns the command's exit code.
    int code_of(const words& command, words environment = {}) const {
        auto running = start(command, std::move(environment));
        EXPECT_TRUE(running.wait());
        return running.exit_code().value_or(-1);
    }
    [[nodiscard]] std::vector<contender> queue() const {
        const mutex observed{*observer, path};
        return observed.queue({.timeout = limit()}).value();
    }
    // Waits until the queue of the lock is empty, and no command runs (by the lock on the file of judge()).
    [[nodiscard]] bool nothing_is_left() const {
        return eventually([this] { return queue().empty() && code_of(alone()) == 0; });
    }
    [[nodiscard]] std::string output() const { return text_of_file(log()); }
    [[nodiscard]] bool printed(const std::string& text) const {
        return output().find(text) != std::string::npos;
    }
    [[nodiscard]] std::filesystem::path log() const { return folder.path() / "log"; }
    [[nodiscard]] std::string judge() const { return (folder.path() / "judge").string(); }
    [[nodiscard]] std::string file(const char* name) const {
        return (folder.path() / name).string();
    }

    const testing::temporary_folder folder;
    const std::string path = lock_path();
    std::unique_ptr<client> observer = connect(server().connect_string());
};

}  // namespace turnstile::tests
