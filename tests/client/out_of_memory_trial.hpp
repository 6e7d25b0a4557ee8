// SPDX-License-Identifier: Apache-2.0
// Runs one cycle in a child process in which an allocation fails, and judges how the process ended.
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
// Returns two trials for each of these cycles: in the first a single allocation fails, in the second all allocations
// from a certain one on fail.
[[nodiscard]] std::vector<trial> trials_of(const std::vector<named_cycle>& cycles);
[[nodiscard]] std::string name_of(const trial& tried);
void PrintTo(const trial& tried, std::ostream* to);

enum class ending : std::uint8_t { went_on, by_sentence, wrong };
struct trial_end {
    ending how = ending::wrong;
    std::uint64_t allocations = 0;  // number of allocations in the cycle, if the process went on
    std::string complaint;          // the violation of a rule; empty if there is none
};
// Runs the cycle in a child process while the allocation with this number fails, and once more when memory is available
// again. The child calls `at` to get its place.
[[nodiscard]] trial_end play_apart(const trial& tried, std::uint64_t number,
                                   const std::function<place()>& at);

}  // namespace turnstile::tests
