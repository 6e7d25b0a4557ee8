// SPDX-License-Identifier: Apache-2.0
// failing_memory: replaces operator new by a form that fails on demand, and runs functions in child processes.
//
// Thread safety: any thread may call operator new, and only one thread may call the other functions.
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

// Counts the allocations of all threads from now on, and makes allocation `number` fail (the first is 1). `how` says
// whether all later allocations fail, too.
void start(std::uint64_t number, failing how);
// Makes all further allocations succeed. Returns the number of allocations since start().
std::uint64_t stop();

}  // namespace failing_memory

// If `condition` is false, writes `rule` to standard error and ends the process, without allocating.
void demand(bool condition, const char* rule);

// A child's exit status, and its standard error.
struct child_end {
    int status = 0;
    std::string said;
};
// Runs the function in a child, whose exit code is the function's result. SIGALRM ends the child after the time `most`.
child_end run_in_child(std::chrono::seconds most, const std::function<int()>& function);

}  // namespace turnstile::tests
