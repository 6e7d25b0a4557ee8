// SPDX-License-Identifier: Apache-2.0
// shrink: makes a failing history small, so that a person can read it.
//
// Reduces clients, rounds and faults as far as the failure allows. Leaves out chunks of faults and halves the chunks'
// size ("delta debugging", Zeller and Hildebrandt, 2002, without its complements). The result is a history too,
// replayed from the seed and the reduction.
#pragma once

#include <cstdint>
#include <functional>

#include "verification/reduction.hpp"
#include "verification/simulator.hpp"

namespace turnstile::simulation {

// Returns the smallest reduction that it finds for which `fails` returns true. `fails(from)` must be true, and `from`
// must have at most `drawn` faults. Calls `fails` a bounded number of times.
[[nodiscard]] reduction shrink(reduction from, std::size_t clients, std::uint64_t drawn,
                               const std::function<bool(const reduction&)>& fails);

// Shrinks a history that breaks a promise. The returned history breaks the same promise.
[[nodiscard]] reduction shrink(const outcome& broken);

}  // namespace turnstile::simulation
