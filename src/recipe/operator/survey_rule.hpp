// SPDX-License-Identifier: Apache-2.0
// survey_rule: which contenders of a queue would be granted as things stand, all of them at once, for a client that
// takes part in none. In a semaphore that has shrunk, holders beyond the new number of permits count as waiters.
//
// core/queue/queue_rule.hpp answers for one contender, which asks for itself. This says the same of each of a queue in
// one pass, but for upgrades, which are rare and asked for one by one; a test holds it to that.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "turnstile/lock_survey.hpp"

namespace turnstile::detail {

// Which lock the child of this name is a contender of; nothing for a znode that is no contender.
[[nodiscard]] std::optional<lock_kind> lock_of(const std::string& child);

// Puts the contenders, which are in the order of arrival, among the holders or the waiters of the lock, by its kind and
// its permits.
void tell_apart(surveyed_lock& lock, std::vector<contender> queue);

}  // namespace turnstile::detail
