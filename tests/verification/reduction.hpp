// SPDX-License-Identifier: Apache-2.0
// reduction: the parts (clients, rounds, faults) of a history that a replay leaves out. The default leaves out nothing.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "simulation/disturbances.hpp"

namespace turnstile::simulation {

struct reduction {
    static constexpr auto k_all = std::numeric_limits<std::size_t>::max();

    std::size_t clients = k_all;  // the first clients remain
    std::size_t rounds = k_all;   // calls of each worker
    std::optional<disturbances::numbers> only;
    friend bool operator==(const reduction&, const reduction&) = default;

    // Returns the arguments for turnstile_simulate, such as " --clients 2 --only 3,7-9"; empty if nothing is left out.
    [[nodiscard]] std::string arguments() const;
};

// to_text() converts a set of numbers to a text such as "3,7-9", and parse_numbers() converts the text to the set. An
// empty text means an empty set. parse_numbers() throws std::invalid_argument, which names the wrong word and the rule.
[[nodiscard]] std::string to_text(const disturbances::numbers& some);
[[nodiscard]] disturbances::numbers parse_numbers(std::string_view text);

}  // namespace turnstile::simulation
