// SPDX-License-Identifier: Apache-2.0
// supervision: decides when a command under a lock gets which signal, as a pure function of time.
//
//     ---- confirmed ----|------ grace ------|- margin -|
//                     SIGTERM             SIGKILL   valid until: from then on, other clients may get the lock
//
// The command is dead before another client can hold the lock. If the hold has already ended (its znode was removed),
// the command gets SIGKILL at once. After SIGTERM, an answer that extends the hold does not postpone SIGKILL.
//
// Thread safety: one thread.
#pragma once

#include <chrono>
#include <optional>

#include "turnstile/clock.hpp"

namespace turnstile::cli {

// The reaction to the end of the hold.
enum class lost_policy { terminate, kill, none };

// The time from SIGKILL to the end of the hold. The kernel of a busy machine needs this time to end the command.
inline constexpr std::chrono::milliseconds k_kill_margin{200};
inline constexpr std::chrono::milliseconds k_default_grace{2'000};
// A hold is confirmed this many times in each session timeout.
inline constexpr int k_confirmations_per_timeout = 15;

class supervision {
public:
    enum class action { none, terminate, kill };
    using time_point = boottime_clock::time_point;

    supervision(lost_policy policy, boottime_clock::duration grace) noexcept
        : policy_{policy}, grace_{grace} {}

    // Records that the servers have confirmed the hold, which is now certain until `valid_until`.
    void confirmed_until(time_point valid_until) noexcept;
    // Records that the hold has ended (it was removed or revoked), even if its lease has not ended.
    void hold_over() noexcept { over_ = true; }

    // Returns the action that is due now. Returns each action once.
    [[nodiscard]] action due(time_point now) noexcept;
    // The time of the next necessary call of due(), if no event comes before.
    [[nodiscard]] std::optional<time_point> next() const noexcept;
    // True if the command has got a signal because its hold ended.
    [[nodiscard]] bool intervened() const noexcept { return terminated_ || killed_; }

private:
    lost_policy policy_;
    boottime_clock::duration grace_;
    std::optional<time_point> valid_until_{};
    bool over_ = false;
    bool terminated_ = false;
    bool killed_ = false;
};

// True if the hold ends because of --max-hold, and not because of its lease. `longest`: the end of the hold by
// --max-hold. `run` learns of the grant a little late and counts --max-hold from then, so `longest` may also be late.
[[nodiscard]] bool is_end_of(boottime_clock::time_point longest,
                             boottime_clock::time_point valid_until) noexcept;

// The values that determine how long a hold is certain. `relay_bound`: the longest time from a follower's reply to a
// client until the leader knows that the client's session is in use.
struct lease_terms {
    std::chrono::milliseconds session_timeout{};
    std::chrono::milliseconds relay_bound{};
    double clock_drift = 0;
};

// Returns the longest allowed grace period: the hold's validity that remains if the servers confirm the hold two
// confirmation intervals late. With a grace period longer than that, the command could get SIGTERM although nothing is
// wrong.
[[nodiscard]] std::chrono::milliseconds longest_grace(const lease_terms& terms) noexcept;

}  // namespace turnstile::cli
