// SPDX-License-Identifier: Apache-2.0
// shrink: makes a failing history small enough to read.
//
// Removes clients, rounds and faults while the failure remains. It tries to leave out each chunk of faults, then each
// chunk of half that size, and so on. This is "delta debugging" (Zeller and Hildebrandt, 2002) without the trials that
// keep a single chunk. The seed and the reduction together replay the shortened history.
#pragma once

#include <cstdint>
#include <functional>

#include "verification/reduction.hpp"
#include "verification/simulator.hpp"

namespace turnstile::simulation {

// Returns the smallest reduction found for which `fails` returns true. Calls `fails` a bounded number of times.
// Precondition: `fails(from)` is true, and `from` has at most `drawn` faults.
[[nodiscard]] reduction shrink(reduction from, std::size_t clients, std::uint64_t drawn,
                               const std::function<bool(const reduction&)>& fails);

// Shrinks a history that breaks a promise. The result breaks the same promise.
[[nodiscard]] reduction shrink(const outcome& broken);

}  // namespace turnstile::simulation
