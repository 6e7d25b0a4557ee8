// SPDX-License-Identifier: Apache-2.0
// One cycle in a process of its own, in which an allocation fails, and what is said of the way in which that ended.
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
// The given cycles, each with one allocation that fails and with all from one on.
[[nodiscard]] std::vector<trial> trials_of(const std::vector<named_cycle>& cycles);
[[nodiscard]] std::string name_of(const trial& tried);
void PrintTo(const trial& tried, std::ostream* to);

enum class ending : std::uint8_t { went_on, by_sentence, wrong };
struct trial_end {
    ending how = ending::wrong;
    std::uint64_t allocations = 0;  // in the cycle, where the process went on
    std::string complaint;          // where it is wrong
};
// The cycle while the allocation with this number fails, and once more when there is memory again. `at` is called in the
// process of the trial.
[[nodiscard]] trial_end play_apart(const trial& tried, std::uint64_t number,
                                   const std::function<place()>& at);

}  // namespace turnstile::tests
