// SPDX-License-Identifier: Apache-2.0
#include "cli/assumed_pace.hpp"

#include <algorithm>

namespace turnstile::cli {
namespace {

constexpr std::chrono::milliseconds k_sample_tick{2'000};
constexpr int k_sample_sync_limit = 5;
// Unless minSessionTimeout and maxSessionTimeout are configured, servers grant session timeouts from 2 to 20 ticks.
constexpr int k_least_ticks = 2;
constexpr int k_most_ticks = 20;

std::chrono::milliseconds unsaid_tick(const server_settings& settings,
                                      std::chrono::milliseconds granted) {
    const bool raised = granted > settings.session_timeout;
    return std::max({k_sample_tick, granted / k_most_ticks,
                     raised ? granted / k_least_ticks : std::chrono::milliseconds{0}});
}

}  // namespace

assumed_pace pace_of(const server_settings& settings,
                     const std::optional<server_configuration>& told,
                     std::chrono::milliseconds granted) {
    if (!is_zookeeper(settings)) return {};
    const bool tells_tick = told && told->tick.count() > 0;
    const bool tells_limit = told && told->sync_limit > 0;
    assumed_pace pace{settings.tick, settings.sync_limit};
    if (pace.tick.count() == 0)
        pace.tick = tells_tick ? told->tick : unsaid_tick(settings, granted);
    if (pace.sync_limit == 0)
        pace.sync_limit = tells_limit ? told->sync_limit : k_sample_sync_limit;
    return pace;
}

}  // namespace turnstile::cli
