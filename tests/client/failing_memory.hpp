// SPDX-License-Identifier: Apache-2.0
// failing_memory: this program's operator new, which fails on demand, and a test's child process in which it fails.
//
// Thread safety: operator new from any thread, the rest from one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace turnstile::tests {

enum class failing : std::uint8_t {
    only_that,       // a single allocation
    that_and_later,  // this and all later allocations, until stop()
};

namespace failing_memory {

// The allocation with this number fails, counted from 1 over all threads.
void start(std::uint64_t number, failing how);
// Lets all further allocations succeed. Returns the number of allocations since start().
std::uint64_t stop();

}  // namespace failing_memory

// If the condition is false, writes the rule to standard error and ends the process. Allocates nothing.
void demand(bool condition, const char* rule);

// The exit status of a child process, and its output on standard error.
struct child_end {
    int status = 0;
    std::string said;
};
// Runs the function in a child process, whose exit code is the function's result. SIGALRM ends a child that runs
// longer than the limit.
child_end run_in_child(std::chrono::seconds most, const std::function<int()>& function);

}  // namespace turnstile::tests
