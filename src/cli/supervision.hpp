// SPDX-License-Identifier: Apache-2.0
// supervision: decides when a command under a lock gets which signal, as a pure function of time.
//
//     ---- confirmed ----|------ grace ------|- margin -|
//                     SIGTERM             SIGKILL   valid until: from here on others may be granted the lock
//
// The command is dead before another client can hold the lock. If the hold has already ended (its znode was removed),
// no time is left, and the command gets SIGKILL at once. If a late confirmation arrives after SIGTERM, the command
// still gets SIGKILL if it has not ended by then.
//
// Thread safety: one thread.
#pragma once

#include <chrono>
#include <optional>

#include "turnstile/clock.hpp"

namespace turnstile::cli {

// The reaction to the end of the hold.
enum class lost_policy { terminate, kill, none };

// Time from SIGKILL to the end of the hold, in which the kernel of a busy machine ends the command.
inline constexpr std::chrono::milliseconds k_kill_margin{200};
inline constexpr std::chrono::milliseconds k_default_grace{2'000};
// The number of confirmations of a hold per session timeout.
inline constexpr int k_confirmations_per_timeout = 15;

class supervision {
public:
    enum class action { none, terminate, kill };
    using time_point = boottime_clock::time_point;

    supervision(lost_policy policy, boottime_clock::duration grace) noexcept
        : policy_{policy}, grace_{grace} {}

    // The latest confirmation: the hold is certain until `valid_until`.
    void confirmed_until(time_point valid_until) noexcept;
    // The hold is over now (removed or revoked), whatever its lease says.
    void hold_over() noexcept { over_ = true; }

    // Returns the action for this time. Each action is returned once.
    [[nodiscard]] action due(time_point now) noexcept;
    // The time of the next call of due(), if no event comes before.
    [[nodiscard]] std::optional<time_point> next() const noexcept;
    // True if the command got a signal because its hold ended.
    [[nodiscard]] bool intervened() const noexcept { return terminated_ || killed_; }

private:
    lost_policy policy_;
    boottime_clock::duration grace_;
    std::optional<time_point> valid_until_{};
    bool over_ = false;
    bool terminated_ = false;
    bool killed_ = false;
};

// True if --max-hold ends the hold before its lease does. `longest`: the end by --max-hold, which may be late by the
// time from the grant until the process learned of it.
[[nodiscard]] bool is_end_of(boottime_clock::time_point longest,
                             boottime_clock::time_point valid_until) noexcept;

// The values that determine how long a hold is certain. `relay_bound`: the longest delay with which a follower reports
// a session to the leader.
struct lease_terms {
    std::chrono::milliseconds session_timeout{};
    std::chrono::milliseconds relay_bound{};
    double clock_drift = 0;
};

// Returns the longest grace for such a session: the validity that is left just before a confirmation that is late by
// two intervals. With a longer grace, a command could get SIGTERM although nothing is wrong.
[[nodiscard]] std::chrono::milliseconds longest_grace(const lease_terms& terms) noexcept;

}  // namespace turnstile::cli
