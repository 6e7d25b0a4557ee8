// SPDX-License-Identifier: Apache-2.0
// closing_signal: informs a session's database, which may be waiting for a server, that the session closes.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>

#include "base/wake_up.hpp"

namespace turnstile::sql {

struct closing_signal {
    base::wake_up closing;  // becomes readable, and stays readable
    std::atomic<bool> begun{false};
};

}  // namespace turnstile::sql
