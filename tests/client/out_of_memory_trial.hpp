// SPDX-License-Identifier: Apache-2.0
// Runs one cycle in a child process, in which an allocation fails, and judges how the process ended.
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
// Returns the trials of these cycles: for each cycle, one in which a single allocation fails, and one in
// which all allocations from a certain one on fail.
[[nodiscard]] std::vector<trial> trials_of(const std::vector<named_cycle>& cycles);
[[nodiscard]] std::string name_of(const trial& tried);
void PrintTo(const trial& tried, std::ostream* to);

enum class ending : std::uint8_t { went_on, by_sentence, wrong };
struct trial_end {
    ending how = ending::wrong;
    std::uint64_t allocations = 0;  // number in the cycle, if the process went on
    std::string complaint;          // the violation; empty if there is none
};
// Runs the cycle while the allocation with this number fails, and once more when memory is available again. Calls `at`
// in the child process.
[[nodiscard]] trial_end play_apart(const trial& tried, std::uint64_t number,
                                   const std::function<place()>& at);

}  // namespace turnstile::tests
