// SPDX-License-Identifier: Apache-2.0
// real: the functions with which the scheduler itself makes threads wait, without the stand-ins for the C library
// (stand_in.hpp).
//
// Thread safety: all from any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace turnstile::schedule::real {

void give_turn(std::atomic<std::uint32_t>& turn) noexcept;
void await_turn(std::atomic<std::uint32_t>& turn) noexcept;

[[nodiscard]] int own_thread() noexcept;
// Waits until the system has no such thread any more.
void await_end(int thread) noexcept;

// Link anchors: references to these functions make the linker take the object files of the stand-ins from the static
// archive.
void keep_locks() noexcept;
void keep_time() noexcept;

}  // namespace turnstile::schedule::real
