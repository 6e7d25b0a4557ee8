// SPDX-License-Identifier: Apache-2.0
// named_successor: leadership that moves to a named participant, as it is written into the election's folder.
// What is written, and what a participant makes of it, is succession.hpp's.
#pragma once

#include <string>
#include <string_view>

#include "recipe/lock/queue_lock.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::detail {

// Whether a participant that was granted may lead. False: a named one is to, or the hold is over. Blocks.
[[nodiscard]] bool decide_succession(const queue_lock& queue, const std::string& id, guard& lead);

// Writes the hint, under this hold. bad_option: no participant has that name; and guard::commit()'s. Blocks.
[[nodiscard]] result<void> name_successor(const queue_lock& queue, guard& lead,
                                          std::string_view successor,
                                          boottime_clock::duration within,
                                          const query_options& options);

}  // namespace turnstile::detail
