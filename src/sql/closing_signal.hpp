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
    // True if the session exists in the database and close() should remove it. The thread then gets two more seconds
    // for its waits for the database after the session began to close.
    std::atomic<bool> has_session{false};
};

}  // namespace turnstile::sql
