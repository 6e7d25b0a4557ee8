// SPDX-License-Identifier: Apache-2.0
// real: waits by the C library's own functions. The scheduler needs these functions, because stand_in.hpp
// replaces the usual functions.
//
// Thread safety: any thread may call all functions.
#pragma once

#include <atomic>
#include <cstdint>

namespace turnstile::schedule::real {

void give_turn(std::atomic<std::uint32_t>& turn) noexcept;
void await_turn(std::atomic<std::uint32_t>& turn) noexcept;

[[nodiscard]] int own_thread() noexcept;
// Waits until the thread with this system number has ended.
void await_end(int thread) noexcept;

// Link anchors: a reference to these functions makes the linker take the stand-ins' object files from the static
// archive.
void keep_locks() noexcept;
void keep_time() noexcept;

}  // namespace turnstile::schedule::real
