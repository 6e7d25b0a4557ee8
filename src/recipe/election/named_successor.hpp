// SPDX-License-Identifier: Apache-2.0
// named_successor: hands the lead to a named participant, by a hint in the election's folder. succession.hpp defines
// the hint and decides about it.
#pragma once

#include <string>
#include <string_view>

#include "recipe/lock/queue_lock.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::detail {

// True if the participant with this grant may lead. False: another participant was named to lead, or the hold is over.
// Blocks.
[[nodiscard]] bool decide_succession(const queue_lock& queue, const std::string& id, guard& lead);

// Writes the hint, under this hold. Errors: bad_option if no participant has that name; guard::commit()'s. Blocks.
[[nodiscard]] result<void> name_successor(const queue_lock& queue, guard& lead,
                                          std::string_view successor,
                                          boottime_clock::duration within,
                                          const query_options& options);

}  // namespace turnstile::detail
