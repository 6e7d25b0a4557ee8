// SPDX-License-Identifier: Apache-2.0
// survey_rule: decides which contenders of a queue have a grant. It uses the present state of the whole queue, so the
// client needs no contender in the queue. In a semaphore that has shrunk, holders beyond the new number of permits
// count as waiters.
//
// core/queue/queue_rule.hpp decides whether one given contender has a grant. survey_rule decides this for all
// contenders of a queue in one pass. For an upgrade, which is rare, survey_rule applies the rule in queue_rule.hpp. A
// test compares the two rules.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "turnstile/lock_survey.hpp"

namespace turnstile::detail {

// Returns the kind of lock for which this child is a contender; nothing if the child is no contender.
[[nodiscard]] std::optional<lock_kind> lock_of(const std::string& child);

// Divides the lock's contenders, which are in the order of arrival, into holders and waiters, by the lock's kind and
// permits.
void tell_apart(surveyed_lock& lock, std::vector<contender> queue);

}  // namespace turnstile::detail
