// SPDX-License-Identifier: Apache-2.0
// session_errors: the errors of calls whose deadline has passed, or for whose lock this session has a hold already.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/contender/contender_errors.hpp"
#include "core/session/session_owners.hpp"

namespace turnstile::core {

// ---- a deadline has passed ----------------------------------------------------------------------

// Returns the error for a deadline that passed before `subject` was granted or answered. `ahead`: the number of
// contenders ahead of the caller. `nearest`: the nearest contender ahead, if its znode was read.
[[nodiscard]] error deadline_error(const session_owners& owners, const std::string& subject,
                                   std::optional<std::size_t> ahead,
                                   const contender_ahead* nearest = nullptr);
[[nodiscard]] error deadline_error(const session_owners& owners, const contender_core& late);

// ---- a call for a lock of which this session already has a hold: it waits for ever if its thread owns that hold ----

// Returns the error of a single attempt that has found `ahead` contenders in the folder. If the only contender ahead,
// the znode `predecessor`, is a hold of this session, the error names that hold.
[[nodiscard]] error busy_error(const session_owners& owners, const std::string& folder,
                               std::size_t ahead, const std::string& predecessor);

// Called at each second look (a repeated read, second_looks) of a waiter that is next in line. Warns once of a call
// that perhaps never ends: the call has no deadline, and has waited some seconds for a hold of its owner (usually the
// calling thread). Does not warn of calls without an owner, like calls of coroutines: they may rightly wait for
// each other on one thread.
void note_wait_for_own_hold(session_owners& owners, contender_id id);

}  // namespace turnstile::core
