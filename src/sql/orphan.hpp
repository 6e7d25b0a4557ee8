// SPDX-License-Identifier: Apache-2.0
// end_orphan: ends a session whose process has ended.
//
// Thread safety: from any thread.
#pragma once

#include "modules/entry.hpp"

namespace turnstile::sql {

// Implements end_session of modules::entry.
[[nodiscard]] result<void> end_orphan(const modules::orphaned_session& which,
                                      core::time_point until);

}  // namespace turnstile::sql
