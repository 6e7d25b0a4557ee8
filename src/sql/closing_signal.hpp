// SPDX-License-Identifier: Apache-2.0
// closing_signal: informs a session's database, which may be waiting for a server, that the session closes.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <chrono>

#include "base/wake_up.hpp"

namespace turnstile::sql {

struct closing_signal {
    base::wake_up closing;  // becomes readable, and stays readable
    std::atomic<bool> begun{false};
    // The database may have a session that close() should end there: it gets some time to answer.
    std::atomic<bool> has_session{false};
};

// The time that a wait for the database still has once close() waits for it.
[[nodiscard]] inline std::chrono::seconds time_to_close(const closing_signal& signal) noexcept {
    constexpr std::chrono::seconds k_orderly_end{2};
    return signal.has_session.load() ? k_orderly_end : std::chrono::seconds{0};
}

}  // namespace turnstile::sql
