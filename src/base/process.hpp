// SPDX-License-Identifier: Apache-2.0
// process_generation: tells a process from the children that it forks.
//
// Purpose: threads do not survive fork(), sockets do: a client made in the parent must not be used
// in the child. An object remembers the generation that it was made in and compares.
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>

namespace turnstile::base {

// A number that differs between a process and its forked children. Counts from the first call on:
// call it once before the fork that is to be noticed.
[[nodiscard]] std::uint64_t process_generation() noexcept;

}  // namespace turnstile::base
