// SPDX-License-Identifier: Apache-2.0
// real: how the scheduler itself makes threads wait, past everything that stands in for the C library (stand_in.hpp).
//
// Thread safety: all from any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace turnstile::schedule::real {

void give_turn(std::atomic<std::uint32_t>& turn) noexcept;
void await_turn(std::atomic<std::uint32_t>& turn) noexcept;

[[nodiscard]] int own_thread() noexcept;
// Until the system has no such thread any more.
void await_end(int thread) noexcept;

// Do nothing: a program that has the scheduler has these files, too, which no other symbol of theirs brings from an archive.
void keep_locks() noexcept;
void keep_time() noexcept;

}  // namespace turnstile::schedule::real
