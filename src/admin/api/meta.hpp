// SPDX-License-Identifier: Apache-2.0
// Locks as the interface shows them: with ages, and with the snapshot that they are from.
//
// Thread safety: pure functions.
#pragma once

#include "admin/reading/lock_json.hpp"
#include "admin/reading/reader.hpp"

namespace turnstile::admin {

// The snapshot. Throws refusal (503 no_snapshot) if there is none yet.
[[nodiscard]] const snapshot& required(const view& seen);

// By the servers' clock.
[[nodiscard]] wall_time servers_now(const view& seen);
// The time that ages count to: now, or of what is stale, its own.
[[nodiscard]] wall_time clock_of(const view& seen);

// {"as_of": ..., "age_ms": ..., "stale": ..., "reading_ms": ...}
[[nodiscard]] json meta_of(const view& seen);

[[nodiscard]] std::int64_t age_ms(wall_time since, wall_time now);
[[nodiscard]] json aged(const contender& each, wall_time now);
[[nodiscard]] json aged(const std::vector<contender>& contenders, wall_time now,
                        std::size_t most = static_cast<std::size_t>(-1));

// The lock with `most` of its holders and waiters, and how long the longest of each is there.
[[nodiscard]] json lock_json(const snapshot& seen, std::size_t place, wall_time now,
                             std::size_t most);

}  // namespace turnstile::admin
