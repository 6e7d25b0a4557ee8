// SPDX-License-Identifier: Apache-2.0
// closing_signal: a flag that ends a database object's waits for its server when the session closes.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>

#include "base/wake_up.hpp"

namespace turnstile::sql {

struct closing_signal {
    base::wake_up closing;  // becomes readable when the session closes, and stays readable
    std::atomic<bool> begun{false};
    // True if the session exists in the database, so that close() should remove it. In this case, the session's thread
    // may wait two more seconds for the database when the session closes.
    std::atomic<bool> has_session{false};
};

}  // namespace turnstile::sql
