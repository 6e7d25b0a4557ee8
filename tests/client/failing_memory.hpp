// SPDX-License-Identifier: Apache-2.0
// failing_memory: this program's operator new, which fails on demand; and what a test does in a child process while it
// does.
//
// Thread safety: operator new from any thread, the rest from one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace turnstile::tests {

enum class failing : std::uint8_t {
    only_that,       // one allocation
    that_and_later,  // and all that follow, until stop()
};

namespace failing_memory {

// The allocation with this number fails, counted from 1 and over all threads.
void start(std::uint64_t number, failing how);
// Returns how many there were, and lets all succeed from now on.
std::uint64_t stop();

}  // namespace failing_memory

// Says why on standard error and ends the process, where the condition does not hold. Allocates nothing.
void demand(bool condition, const char* rule);

// How a child process ended, and what it said on standard error.
struct child_end {
    int status = 0;
    std::string said;
};
// The function runs in a child, which ends with what it returns. One that hangs is ended by SIGALRM after the limit.
child_end run_in_child(std::chrono::seconds most, const std::function<int()>& function);

}  // namespace turnstile::tests
