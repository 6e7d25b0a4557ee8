// SPDX-License-Identifier: Apache-2.0
// disturbances: numbers a simulated history's faults in the order in which the simulator draws them. A replay may leave
// out some faults (shrink.hpp), and the other faults keep their numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulation/agenda.hpp"
#include "simulation/trace.hpp"

namespace turnstile::simulation {

class disturbances {
public:
    using numbers = std::set<std::uint64_t>;

    // `only` contains the numbers of the faults that happen. Without `only`, all faults happen.
    disturbances(const agenda& future, trace& story, std::optional<numbers> only)
        : agenda_{future}, trace_{story}, only_{std::move(only)} {}

    // Gives the next number to a fault. If the replay leaves the fault out, returns false. Otherwise records the text
    // that `sentence` returns.
    template <std::invocable F>
    [[nodiscard]] bool draw_strike(F&& sentence) {
        const auto number = drawn_++;
        if (only_ && !only_->contains(number)) return false;
        trace_.disturb(agenda_.now(), number, std::forward<F>(sentence));
        return true;
    }

    [[nodiscard]] std::uint64_t drawn() const noexcept { return drawn_; }

private:
    const agenda& agenda_;
    trace& trace_;
    std::optional<numbers> only_;
    std::uint64_t drawn_ = 0;
};

}  // namespace turnstile::simulation
