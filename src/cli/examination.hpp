// SPDX-License-Identifier: Apache-2.0
// examination: the observations of `turnstile doctor`, from which it derives findings.
//
// Thread safety: a value.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/servers.hpp"
#include "turnstile/error.hpp"
#include "turnstile/file_health.hpp"
#include "turnstile/lock_survey.hpp"
#include "turnstile/promises.hpp"
#include "turnstile/server_health.hpp"
#include "turnstile/tools/modules.hpp"
#include "turnstile/tools/odd_znodes.hpp"
#include "turnstile/tools/path_trial.hpp"

namespace turnstile::cli {

// This machine's clock, and the kernel's adjustment of it.
struct host_clock {
    bool synchronised = false;  // the kernel reports that a time daemon adjusts the clock
    double rate = 0;            // the relative speed-up of the clock
};

struct examination {
    server_settings settings;
    std::string path;
    std::vector<server_health> servers;
    std::optional<file_health> file{};    // for "sqlite:"
    std::string attached_to;              // the server of the session; empty: no session
    std::int64_t session = 0;             // the session's id; 0: no session
    std::chrono::milliseconds granted{};  // the session timeout; 0: no session
    std::optional<error> no_session{};    // why there is no session
    std::optional<promises> promised{};   // only with a session
    std::optional<path_trial> trial{};    // only with a session
    std::string no_trial{};               // why there was no trial
    std::optional<odd_survey> odd{};
    std::vector<surveyed_lock> locks{};  // sorted by path, without contenders
    std::string no_survey{};
    std::optional<host_clock> clock{};
    std::string guard{};     // the guard of `turnstile run` on this machine; empty: none
    std::string no_guard{};  // why there is no guard
    std::vector<module_status> modules{};
};

// Returns the largest tick and the largest syncLimit that the servers report; nothing if no server reports them.
[[nodiscard]] std::optional<server_configuration> told_pace(
    const std::vector<server_health>& servers);

// Returns the tick and syncLimit that the client assumes for the servers.
[[nodiscard]] assumed_pace pace_of(const examination& seen);

// The time for which a hold is certain after the servers have confirmed it. Depends on whether the client is connected
// to a follower or to the leader.
struct certain_hold {
    std::chrono::milliseconds through_follower{};
    std::chrono::milliseconds through_leader{};
};
[[nodiscard]] certain_hold certain_hold_of(const examination& seen);

}  // namespace turnstile::cli
