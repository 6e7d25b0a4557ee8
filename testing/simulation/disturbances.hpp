// SPDX-License-Identifier: Apache-2.0
// disturbances: what goes wrong in a history, numbered in the order in which it is drawn, so that a
// history can be played again with some of it left out (shrink.hpp does that). What is left out keeps
// its number.
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

    // Without `only`, all that is drawn happens.
    disturbances(const agenda& future, trace& story, std::optional<numbers> only)
        : agenda_{future}, trace_{story}, only_{std::move(only)} {}

    // Something is drawn to go wrong; false if it is left out. `sentence` says what it is.
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
