// SPDX-License-Identifier: Apache-2.0
// aged_json: converts locks and contenders to JSON, with their ages, and the age of the snapshot.
//
// Thread safety: pure functions.
#pragma once

#include "admin/reading/lock_json.hpp"
#include "admin/reading/reader.hpp"

namespace turnstile::admin {

// Returns the snapshot. Throws refusal (503 no_snapshot) if there is none yet.
[[nodiscard]] const snapshot& required(const view& seen);

[[nodiscard]] wall_time servers_now(const view& seen);
// Returns the time for computing ages: the present time or, if the snapshot is stale, the snapshot's time.
[[nodiscard]] wall_time clock_of(const view& seen);

// Returns an object such as {"as_of": ..., "age_ms": ..., "stale": ..., "reading_ms": ...}.
[[nodiscard]] json meta_of(const view& seen);

[[nodiscard]] std::int64_t age_ms(wall_time since, wall_time now);
[[nodiscard]] json aged(const contender& each, wall_time now);
[[nodiscard]] json aged(const std::vector<contender>& contenders, wall_time now,
                        std::size_t most = static_cast<std::size_t>(-1));

// Returns the lock, with at most `most` holders and at most `most` waiters. The object also contains how long the
// oldest holder has held the lock, and how long the first waiter has waited.
[[nodiscard]] json lock_json(const snapshot& seen, std::size_t place, wall_time now,
                             std::size_t most);

}  // namespace turnstile::admin
