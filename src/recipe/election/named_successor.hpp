// SPDX-License-Identifier: Apache-2.0
// named_successor: hands the lead over to a named participant, through a hint in the data of the election's folder.
// succession.hpp defines the hint and its rules.
#pragma once

#include <string>
#include <string_view>

#include "recipe/lock/queue_lock.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::detail {

// Returns true if the participant with the hold `lead` may lead; false if another participant is named, or if the hold
// has ended. Blocks.
[[nodiscard]] bool decide_succession(const queue_lock& queue, const std::string& id, guard& lead);

// Writes the name of the participant that shall lead next into the data of the election's folder, by a commit under the
// hold `lead`. Errors: bad_option if no participant has the name `successor`, and the errors of guard::commit().
// Blocks.
[[nodiscard]] result<void> name_successor(const queue_lock& queue, guard& lead,
                                          std::string_view successor,
                                          boottime_clock::duration within,
                                          const query_options& options);

}  // namespace turnstile::detail
