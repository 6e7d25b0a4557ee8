// SPDX-License-Identifier: Apache-2.0
// Runs a cycle (a sequence of a recipe's calls) in a child in which an allocation fails, and judges how the child ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "out_of_memory.hpp"

namespace turnstile::tests {

struct trial {
    named_cycle cycle;
    failing how{};
};
// Returns two trials for each cycle (a sequence of calls). In one trial a single allocation fails. In the other trial
// this allocation and all later allocations fail.
[[nodiscard]] std::vector<trial> trials_of(const std::vector<named_cycle>& cycles);
[[nodiscard]] std::string name_of(const trial& tried);
void PrintTo(const trial& tried, std::ostream* to);

enum class ending : std::uint8_t { went_on, by_sentence, wrong };
struct trial_end {
    ending how = ending::wrong;
    std::uint64_t allocations = 0;  // allocations in the cycle, if the process continued
    std::string complaint;          // the broken rule; empty if none
};
// Runs the trial's sequence of calls in a child while allocation `number` fails, and again with enough memory. `at`
// returns the child's servers and path.
[[nodiscard]] trial_end play_apart(const trial& tried, std::uint64_t number,
                                   const std::function<place()>& at);

}  // namespace turnstile::tests
