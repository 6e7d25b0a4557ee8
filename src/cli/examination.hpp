// SPDX-License-Identifier: Apache-2.0
// examination: what `turnstile doctor` has seen, before it is judged.
//
// Thread safety: a value.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/assumed_pace.hpp"
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

// The clock of this machine, as its kernel steers it.
struct host_clock {
    bool synchronised = false;  // by a time daemon, as the kernel has been told
    double rate = 0;            // by how much it is made to run fast, as a part of one
};

struct examination {
    server_settings settings;
    std::string path;
    std::vector<server_health> servers;
    std::optional<file_health> file{};    // of "sqlite:"
    std::string attached_to;              // the server of the session; empty: there is none
    std::int64_t session = 0;             // its id; 0: there is none
    std::chrono::milliseconds granted{};  // the session time-out; 0: there is no session
    std::optional<error> no_session{};    // why there is none
    std::optional<promises> promised{};   // with a session
    std::optional<path_trial> trial{};    // with a session
    std::string no_trial{};               // why there is none
    std::optional<odd_survey> odd{};
    std::vector<surveyed_lock> locks{};  // by path; none of their contenders was read
    std::string no_survey{};
    std::optional<host_clock> clock{};
    std::string guard{};     // that `turnstile run` would have here (process_guard); empty: none
    std::string no_guard{};  // why there is none
    std::vector<module_status> modules{};
};

// The longest of the ticks and limits that servers tell; nothing if none tells them.
[[nodiscard]] std::optional<server_configuration> told_pace(
    const std::vector<server_health>& servers);

// What the client takes the servers' pace to be.
[[nodiscard]] assumed_pace pace_of(const examination& seen);

// For how long a hold is certain after its confirmation, through a follower and through the leader.
struct certain_hold {
    std::chrono::milliseconds through_follower{};
    std::chrono::milliseconds through_leader{};
};
[[nodiscard]] certain_hold certain_hold_of(const examination& seen);

}  // namespace turnstile::cli
