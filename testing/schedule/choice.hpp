// SPDX-License-Identifier: Apache-2.0
// choice: chooses the next thread among the runnable threads, as the plan of the run says (plan.hpp). Copies are
// independent.
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

    void add(std::size_t thread);

    struct situation {
        const thread_set& enabled;  // the runnable threads, at least one
        std::uint32_t step = 0;
        std::uint8_t current = 0;  // the running thread
        bool yields = false;       // true: the running thread yields to others
    };
    [[nodiscard]] std::uint8_t pick(const situation& now);

private:
    [[nodiscard]] std::uint8_t by_priority(const situation& now);
    [[nodiscard]] std::uint8_t by_chance(const thread_set& enabled);
    [[nodiscard]] std::uint8_t by_deviation(const situation& now);
    [[nodiscard]] std::uint8_t next_to(std::uint8_t current, const thread_set& enabled) const;

    plan plan_;
    base::random chance_;
    std::vector<std::int64_t> priorities_;  // by the thread's number
    std::int64_t lowest_ = 0;
    std::vector<std::uint32_t> changes_;  // the steps at which a priority drops
    std::size_t next_deviation_ = 0;
};

}  // namespace turnstile::schedule
