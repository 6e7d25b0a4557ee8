// SPDX-License-Identifier: Apache-2.0
// process: starts a child process that never outlives the test.
//
//     process contender{{.command = {program, "/locks/orders"}, .output = log}};
//     ASSERT_TRUE(contender.wait_for_output("READY"));
//     contender.pause();
//
// The child leads a separate process group, and all signals go to that group. The child inherits no descriptor except
// standard input (/dev/null), output and error. It starts with no signal blocked or ignored. The destructor kills the
// group; the group is also killed when the child has ended. If this process dies without running destructors (for
// example by SIGKILL), a small shell that waits for the end of this process kills the group.
//
// Thread safety: any thread may call any member, but only one thread at a time may move or destroy the object. In a
// forked child of this process the members send no signal and reap no process.
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
    // Variables as "NAME=value". The child gets this process's environment; these variables are added to it, or replace
    // its values.
    std::vector<std::string> environment{};
    // The file to which the child's standard output and error are appended. Empty: this output is discarded.
    std::filesystem::path output{};
    std::filesystem::path
        folder{};  // the child's working folder; empty: this process's working folder
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
    // Returns whether the child runs. True for a paused child; false for a child that is being killed.
    [[nodiscard]] bool running() const;

    // Send a signal to the child's group. These functions do nothing after the child has ended.
    void pause();      // SIGSTOP; returns when the child has stopped
    void resume();     // SIGCONT
    void terminate();  // SIGTERM, then SIGCONT, so that a paused child handles SIGTERM
    void kill();       // SIGKILL; returns when the child has been reaped

    // Waits until the child has ended. Returns false if the deadline came first.
    [[nodiscard]] bool wait(test_deadline until = {});
    // Returns how the child ended: its exit code, or 128 + the signal that killed it. Empty while the child runs.
    [[nodiscard]] std::optional<int> exit_code() const;

    // Returns the present content of the output file, including the output of earlier children.
    [[nodiscard]] std::string output() const;
    // Waits until the output contains `text`. Returns false if the deadline came first, or if the child ended first.
    [[nodiscard]] bool wait_for_output(std::string_view text, test_deadline until = {}) const;

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace turnstile::testing
