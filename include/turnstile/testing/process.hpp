// SPDX-License-Identifier: Apache-2.0
// process: a child process of a test that never outlives the test.
//
//     process contender{{.command = {program, "/locks/orders"}, .output = log}};
//     ASSERT_TRUE(contender.wait_for_output("READY"));
//     contender.pause();
//
// The child leads its own process group, and all signals go to that group. The child inherits no descriptor except
// standard input (/dev/null), output and error. It starts with no signal blocked or ignored. The group is killed by the
// destructor, and when its leader has ended. If this process dies without running destructors (SIGKILL included), a
// tiny shell that waits for its end kills the group.
//
// Thread safety: any thread may call all members except move and destruction. In a forked copy of this process the
// members send no signal and reap nothing.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

// The options of a process.
struct process_options {
    std::vector<std::string> command{};  // the program, looked up in PATH, and its arguments
    // "NAME=value": variables that are added to this process's environment, or replace its values.
    std::vector<std::string> environment{};
    // File to which standard output and error are appended; empty: none.
    std::filesystem::path output{};
    std::filesystem::path folder{};  // the child's working folder; empty: this process's
};

// A child process.
class process {
public:
    // Starts the child. Throws std::runtime_error if the program does not exist or `output` cannot be written,
    // std::system_error if the child cannot be started.
    explicit process(process_options options);
    ~process();
    process(process&&) noexcept;
    process& operator=(process&&) noexcept;

    // Returns the process id.
    [[nodiscard]] pid_t pid() const noexcept;
    // True for a paused child; false for a child that is being killed.
    [[nodiscard]] bool running() const;

    // Send a signal to the child's group. They do nothing after the child has ended.
    void pause();      // SIGSTOP; returns when the child has stopped
    void resume();     // SIGCONT
    void terminate();  // SIGTERM, and SIGCONT so that a paused child takes it
    void kill();       // SIGKILL; returns when the child has been reaped

    // Waits until the child has ended. Returns false if the deadline came first.
    [[nodiscard]] bool wait(test_deadline until = {});
    // Returns how the child ended: its exit code, or 128 + the signal that killed it. Empty while it runs.
    [[nodiscard]] std::optional<int> exit_code() const;

    // Returns the present content of the output file, including the output of earlier children.
    [[nodiscard]] std::string output() const;
    // Waits until the output contains `text`. Returns false if the deadline came, or the child ended, first.
    [[nodiscard]] bool wait_for_output(std::string_view text, test_deadline until = {}) const;

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace turnstile::testing
