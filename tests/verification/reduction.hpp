// SPDX-License-Identifier: Apache-2.0
// reduction: the parts of a history that are left out. A value; the default leaves out nothing.
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

    std::size_t clients = k_all;  // upper limit; the first clients stay
    std::size_t rounds = k_all;   // upper limit of a worker's calls
    std::optional<disturbances::numbers> only;
    friend bool operator==(const reduction&, const reduction&) = default;

    // Returns arguments for turnstile_simulate: " --clients 2 --only 3,7-9"; empty if nothing is left out.
    [[nodiscard]] std::string arguments() const;
};

// Convert "3,7-9" to a set and back; an empty text is the empty set. Throws std::invalid_argument that names the word
// and the rule.
[[nodiscard]] std::string to_text(const disturbances::numbers& some);
[[nodiscard]] disturbances::numbers parse_numbers(std::string_view text);

}  // namespace turnstile::simulation
