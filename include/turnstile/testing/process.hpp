// SPDX-License-Identifier: Apache-2.0
// process: a child process of a test that never outlives it.
//
//     process contender{{.command = {program, "/locks/orders"}, .output = log}};
//     ASSERT_TRUE(contender.wait_for_output("READY"));
//     contender.pause();
//
// The child leads a process group of its own, which all signals go to. It inherits no descriptor
// but standard input (/dev/null), output and error, and starts with no signal blocked or ignored.
// Its group is killed by the destructor, when its leader has ended, and, should this process die
// without running destructors (SIGKILL included), by a tiny shell that waits for this.
//
// Thread safety: all members but move and destruction from any thread. In a forked copy of this
// process the members signal and reap nothing.
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

struct process_options {
    std::vector<std::string> command{};  // the program, looked up in PATH, and its arguments
    std::vector<std::string>
        environment{};               // "NAME=value": added to, or instead of, this process's
    std::filesystem::path output{};  // standard output and error are appended; empty: nowhere
    std::filesystem::path folder{};  // the child's working folder; empty: this process's
};

class process {
public:
    // Starts the child. Throws std::runtime_error if the program is not there or `output` cannot be
    // written, std::system_error if it cannot be started.
    explicit process(process_options options);
    ~process();
    process(process&&) noexcept;
    process& operator=(process&&) noexcept;

    [[nodiscard]] pid_t pid() const noexcept;
    [[nodiscard]] bool running() const;  // a paused child is running, one that is being killed not

    // Signals to the child's group; nothing happens once the child has ended.
    void pause();      // SIGSTOP; returns when the child has stopped
    void resume();     // SIGCONT
    void terminate();  // SIGTERM, and SIGCONT so that a paused child takes it
    void kill();       // SIGKILL; returns when the child has been reaped

    // Waits until the child has ended; false if the deadline came first.
    [[nodiscard]] bool wait(test_deadline until = {});
    // How it ended: its exit code, or 128 + the signal that killed it. Empty while it runs.
    [[nodiscard]] std::optional<int> exit_code() const;

    // All that the output file holds by now (also of earlier children that wrote to it).
    [[nodiscard]] std::string output() const;
    // Waits until the output holds `text`; false if the deadline came or the child ended first.
    [[nodiscard]] bool wait_for_output(std::string_view text, test_deadline until = {}) const;

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace turnstile::testing
