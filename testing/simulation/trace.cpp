// SPDX-License-Identifier: Apache-2.0
#include "simulation/trace.hpp"

#include <fmt/core.h>

namespace turnstile::simulation {

void trace::add(instant when, const std::string& sentence) {
    const std::chrono::duration<double> since = when.time_since_epoch();
    lines_.push_back(fmt::format("{:12.6f}  {}", since.count(), sentence));
}

void trace::add_disturbance(instant when, std::uint64_t number, const std::string& sentence) {
    add(when, fmt::format("fault {}: {}", number, sentence));
    disturbances_.push_back(lines_.back());
}

}  // namespace turnstile::simulation
