// SPDX-License-Identifier: Apache-2.0
// process_generation: distinguishes a process from the children that it forks.
//
// Purpose: threads do not survive fork(), sockets do, so a client made in the parent must not be used in the child.
// An object stores the generation at its construction and compares.
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>

namespace turnstile::base {

// A number that differs between a process and its forked children. It counts from the first call on: call it once
// before the fork that has to be noticed.
[[nodiscard]] std::uint64_t process_generation() noexcept;

}  // namespace turnstile::base
