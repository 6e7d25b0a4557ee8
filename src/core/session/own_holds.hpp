// SPDX-License-Identifier: Apache-2.0
// own_holds: reports calls for a lock of which this session already has a hold. The call waits for ever if its thread
// owns that hold.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <string>

#include "core/session/session_owners.hpp"

namespace turnstile::core {

// Returns the error of a single attempt that has found `ahead` contenders in the folder. If the only contender ahead,
// the znode `predecessor`, is a hold of this session, the error names that hold.
[[nodiscard]] error busy_error(const session_owners& owners, const std::string& folder,
                               std::size_t ahead, const std::string& predecessor);

// Called at each second look (a repeated read, second_looks.hpp) of a waiter that is next in line. Warns once of a call
// that perhaps never ends: the call has no deadline, and has waited some seconds for a hold of its owner (usually the
// calling thread). Does not warn of calls without an owner, like calls of coroutines: they may rightly wait for
// each other on one thread.
void note_wait_for_own_hold(session_owners& owners, contender_id id);

}  // namespace turnstile::core
