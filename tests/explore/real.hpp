// SPDX-License-Identifier: Apache-2.0
// real: how the scheduler itself makes threads wait, past everything that interpose.cpp stands in for.
//
// Thread safety: all from any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace turnstile::explore::real {

void give_turn(std::atomic<std::uint32_t>& turn) noexcept;
void await_turn(std::atomic<std::uint32_t>& turn) noexcept;

}  // namespace turnstile::explore::real
