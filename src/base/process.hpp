// SPDX-License-Identifier: Apache-2.0
// process_generation, process_mark: distinguish a process from the children that it forks.
//
// Purpose: a forked child has copies of its parent's sockets, but none of its parent's threads. So the child must not
// use a client that the parent made. An object stores the generation at its construction, and later compares it with
// the present generation.
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>

namespace turnstile::base {

// Returns a number that differs between a process and its forked children. Only forks after the first call are counted,
// so call it once before the fork that has to be noticed.
[[nodiscard]] std::uint64_t process_generation() noexcept;

// A member of this type stores the process that makes the object.
class process_mark {
public:
    // True if this is a forked child of the process that made the object.
    [[nodiscard]] bool forked() const noexcept { return process_generation() != generation_; }

private:
    std::uint64_t generation_ = process_generation();
};

}  // namespace turnstile::base
