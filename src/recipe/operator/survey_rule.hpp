// SPDX-License-Identifier: Apache-2.0
// survey_rule: which contenders of a queue have a grant, by the present state of the whole queue, for a client that
// takes part in none. In a semaphore that has shrunk, holders beyond the new number of permits count as waiters.
//
// core/queue/queue_rule.hpp answers for one contender, which asks for itself. This file answers for each contender of
// a queue in one pass. Only for upgrades, which are rare, it asks that rule one by one. A test compares both.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "turnstile/lock_survey.hpp"

namespace turnstile::detail {

// The kind of lock that this child is a contender for; nullopt for a znode that is no contender.
[[nodiscard]] std::optional<lock_kind> lock_of(const std::string& child);

// Sorts the contenders, which are in the order of arrival, into the holders and the waiters of the lock, by its kind
// and its permits.
void tell_apart(surveyed_lock& lock, std::vector<contender> queue);

}  // namespace turnstile::detail
