// SPDX-License-Identifier: Apache-2.0
// choice: which of the threads that can go on has its turn, as a plan says. A value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "schedule/plan.hpp"

namespace turnstile::schedule {

// Of a set of threads.
[[nodiscard]] constexpr std::uint64_t bit_of(std::size_t thread) noexcept {
    return std::uint64_t{1} << thread;
}

class choice {
public:
    explicit choice(plan how);

    // A new thread of this number.
    void add(std::size_t thread);

    struct situation {
        std::uint64_t enabled = 0;  // the threads that can go on, a bit each; at least one
        std::uint32_t step = 0;
        std::uint8_t current = 0;  // has its turn now
        bool yields = false;       // and gives it to others
    };
    [[nodiscard]] std::uint8_t pick(const situation& now);

private:
    [[nodiscard]] std::uint8_t by_priority(const situation& now);
    [[nodiscard]] std::uint8_t by_chance(std::uint64_t enabled);
    [[nodiscard]] std::uint8_t by_deviation(const situation& now);
    [[nodiscard]] std::uint8_t next_to(std::uint8_t current, std::uint64_t enabled) const;

    plan plan_;
    base::random chance_;
    std::vector<std::int64_t> priorities_;  // by thread
    std::int64_t lowest_ = 0;
    std::vector<std::uint32_t> changes_;  // steps at which a priority drops
    std::size_t next_deviation_ = 0;
};

}  // namespace turnstile::schedule
