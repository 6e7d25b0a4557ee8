// SPDX-License-Identifier: Apache-2.0
// supervision: when a command that runs under a lock gets which signal, as a pure function of time.
//
//     ---- confirmed ----|------ grace ------|- margin -|
//                     SIGTERM             SIGKILL   valid until: from here on others may be granted the lock
//
// So the command is dead before another client can hold the lock. A hold that is over already (its znode was removed)
// leaves no time: SIGKILL at once. A command that got SIGTERM is not spared when the hold is confirmed after all: it
// is on its way out.
//
// Thread safety: one thread.
#pragma once

#include <chrono>
#include <optional>

#include "turnstile/clock.hpp"

namespace turnstile::cli {

// What happens to the command when the hold runs out.
enum class lost_policy { terminate, kill, none };

// From SIGKILL to the end of the hold: for the kernel to carry it out on a busy machine.
inline constexpr std::chrono::milliseconds k_kill_margin{200};
inline constexpr std::chrono::milliseconds k_default_grace{2'000};
// So often in a session's time-out `run` has its hold confirmed.
inline constexpr int k_confirmations_per_timeout = 15;

class supervision {
public:
    enum class action { none, terminate, kill };
    using time_point = boottime_clock::time_point;

    supervision(lost_policy policy, boottime_clock::duration grace) noexcept
        : policy_{policy}, grace_{grace} {}

    // The hold is certain until then, by the latest confirmation.
    void confirmed_until(time_point valid_until) noexcept;
    // The hold is over now, whatever its lease said: removed or revoked.
    void hold_over() noexcept { over_ = true; }

    // What is to be done now; each action comes once.
    [[nodiscard]] action due(time_point now) noexcept;
    // When due() is to be asked next, unless something happens before.
    [[nodiscard]] std::optional<time_point> next() const noexcept;
    // A signal was sent for want of a hold.
    [[nodiscard]] bool intervened() const noexcept { return terminated_ || killed_; }

private:
    lost_policy policy_;
    boottime_clock::duration grace_;
    std::optional<time_point> valid_until_{};
    bool over_ = false;
    bool terminated_ = false;
    bool killed_ = false;
};

// Whether a hold that is certain until then is at its longest: --max-hold ends it, and not its lease. `longest` may be
// late by the time from the grant until the process knew of it.
[[nodiscard]] bool is_end_of(boottime_clock::time_point longest,
                             boottime_clock::time_point valid_until) noexcept;

// What a hold's certainty depends on. `relay_bound`: how late a follower tells the leader of a session.
struct lease_terms {
    std::chrono::milliseconds session_timeout{};
    std::chrono::milliseconds relay_bound{};
    double clock_drift = 0;
};

// The longest grace that such a session carries: what is left of a hold just before it is confirmed again, if one
// confirmation came late by two intervals. With a longer one a command would get SIGTERM in quiet times.
[[nodiscard]] std::chrono::milliseconds longest_grace(const lease_terms& terms) noexcept;

}  // namespace turnstile::cli
