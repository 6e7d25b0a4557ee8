// SPDX-License-Identifier: Apache-2.0
#include "cli/examination.hpp"

#include <algorithm>

#include "support/clock_drift.hpp"

namespace turnstile::cli {

std::optional<server_configuration> told_pace(const std::vector<server_health>& servers) {
    std::optional<server_configuration> longest;
    for (const auto& server : servers) {
        if (!server.configuration) continue;
        if (!longest) longest = server.configuration;
        longest->tick = std::max(longest->tick, server.configuration->tick);
        longest->sync_limit = std::max(longest->sync_limit, server.configuration->sync_limit);
    }
    return longest;
}

assumed_pace pace_of(const examination& seen) {
    const auto timeout = seen.granted.count() > 0 ? seen.granted : seen.settings.session_timeout;
    return pace_of(seen.settings, told_pace(seen.servers), timeout);
}

certain_hold certain_hold_of(const examination& seen) {
    const auto timeout = seen.granted.count() > 0 ? seen.granted : seen.settings.session_timeout;
    const auto whole = std::chrono::floor<std::chrono::milliseconds>(
        support::shortened(timeout, lease_settings{}.clock_drift));
    const auto late = whole - pace_of(seen).relay_bound();
    return {.through_follower = std::max(late, std::chrono::milliseconds{0}),
            .through_leader = whole};
}

}  // namespace turnstile::cli
