// SPDX-License-Identifier: Apache-2.0
// failing_memory: replaces the program's operator new by one which fails on demand, and starts child processes in which
// it fails.
//
// Thread safety: any thread may call operator new. Only one thread may call the other functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace turnstile::tests {

enum class failing : std::uint8_t {
    only_that,       // only this allocation fails
    that_and_later,  // this and all later allocations fail, until stop()
};

namespace failing_memory {

// From now on the allocation with this number fails. Numbers count from 1, over all threads.
void start(std::uint64_t number, failing how);
// Lets all further allocations succeed. Returns the number of allocations since start().
std::uint64_t stop();

}  // namespace failing_memory

// If the condition is false, writes the rule to standard error and ends the process. Allocates no memory.
void demand(bool condition, const char* rule);

// A child process's exit status, and the text that it wrote to standard error.
struct child_end {
    int status = 0;
    std::string said;
};
// Runs the function in a child process. The function's result is the child's exit code. SIGALRM ends a child that runs
// longer than `most`.
child_end run_in_child(std::chrono::seconds most, const std::function<int()>& function);

}  // namespace turnstile::tests
