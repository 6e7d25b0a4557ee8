// SPDX-License-Identifier: Apache-2.0
// closing_signal: tells a session's database object, which may be waiting for a server, that the session closes.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <chrono>

#include "base/wake_up.hpp"

namespace turnstile::sql {

struct closing_signal {
    base::wake_up closing;  // becomes readable when the session closes, for good
    std::atomic<bool> begun{false};
    // True if close() should end a session at the database. The database then gets some time to answer.
    std::atomic<bool> has_session{false};
};

// Returns the time limit for a wait for the database after close() has begun.
[[nodiscard]] inline std::chrono::seconds time_to_close(const closing_signal& signal) noexcept {
    constexpr std::chrono::seconds k_orderly_end{2};
    return signal.has_session.load() ? k_orderly_end : std::chrono::seconds{0};
}

}  // namespace turnstile::sql
