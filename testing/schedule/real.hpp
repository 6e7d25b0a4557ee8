// SPDX-License-Identifier: Apache-2.0
// real: makes threads wait by the C library's own functions. The scheduler uses these, because stand_in.hpp replaces
// the usual ones.
//
// Thread safety: any thread may call all functions.
#pragma once

#include <atomic>
#include <cstdint>

namespace turnstile::schedule::real {

void give_turn(std::atomic<std::uint32_t>& turn) noexcept;
void await_turn(std::atomic<std::uint32_t>& turn) noexcept;

[[nodiscard]] int own_thread() noexcept;
// Waits until the system no longer has a thread with this number.
void await_end(int thread) noexcept;

// Link anchors. References to these functions make the linker take the replacing functions' object files from the
// static archive.
void keep_locks() noexcept;
void keep_time() noexcept;

}  // namespace turnstile::schedule::real
