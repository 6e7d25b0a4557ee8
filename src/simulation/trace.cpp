#include "simulation/trace.hpp"

#include <fmt/core.h>

namespace turnstile::simulation {

void trace::add(instant when, const std::string& sentence) {
    const std::chrono::duration<double> since = when.time_since_epoch();
    lines_.push_back(fmt::format("{:12.6f}  {}", since.count(), sentence));
}

}  // namespace turnstile::simulation
