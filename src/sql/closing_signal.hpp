// SPDX-License-Identifier: Apache-2.0
// closing_signal: tells a session's database object, which may be waiting for a server, that the session closes.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>

#include "base/wake_up.hpp"

namespace turnstile::sql {

struct closing_signal {
    base::wake_up closing;  // becomes readable when the session closes, for good
    std::atomic<bool> begun{false};
    // True if close() should end a session at the database. The database then gets some time to answer.
    std::atomic<bool> has_session{false};
};

}  // namespace turnstile::sql
