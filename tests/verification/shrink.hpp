// SPDX-License-Identifier: Apache-2.0
// shrink: makes a failing history small, so that a person can read it.
//
// Fewer clients, fewer rounds, and of what goes wrong only what the failure needs: leaves out chunks,
// halving their size ("delta debugging", Zeller and Hildebrandt, 2002, without its complements). What
// remains is a history of its own, replayed from the seed and the reduction.
#pragma once

#include <cstdint>
#include <functional>

#include "verification/reduction.hpp"
#include "verification/simulator.hpp"

namespace turnstile::simulation {

// The smallest that was found for which `fails` still holds; it holds for `from`, of which `drawn`
// things go wrong at most. Calls `fails` a bounded number of times.
[[nodiscard]] reduction shrink(reduction from, std::size_t clients, std::uint64_t drawn,
                               const std::function<bool(const reduction&)>& fails);

// Of a history that breaks a promise: one that breaks the same promise.
[[nodiscard]] reduction shrink(const outcome& broken);

}  // namespace turnstile::simulation
