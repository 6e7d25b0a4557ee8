// SPDX-License-Identifier: Apache-2.0
// choice: which of the threads that can go on has its turn, as a plan says. A value.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "schedule/plan.hpp"
#include "schedule/record.hpp"

namespace turnstile::schedule {

using thread_set = std::bitset<k_most_threads>;

class choice {
public:
    explicit choice(plan how);

    // A new thread of this number.
    void add(std::size_t thread);

    struct situation {
        const thread_set& enabled;  // the threads that can go on; at least one
        std::uint32_t step = 0;
        std::uint8_t current = 0;  // has its turn now
        bool yields = false;       // and gives it to others
    };
    [[nodiscard]] std::uint8_t pick(const situation& now);

private:
    [[nodiscard]] std::uint8_t by_priority(const situation& now);
    [[nodiscard]] std::uint8_t by_chance(const thread_set& enabled);
    [[nodiscard]] std::uint8_t by_deviation(const situation& now);
    [[nodiscard]] std::uint8_t next_to(std::uint8_t current, const thread_set& enabled) const;

    plan plan_;
    base::random chance_;
    std::vector<std::int64_t> priorities_;  // by thread
    std::int64_t lowest_ = 0;
    std::vector<std::uint32_t> changes_;  // steps at which a priority drops
    std::size_t next_deviation_ = 0;
};

}  // namespace turnstile::schedule
