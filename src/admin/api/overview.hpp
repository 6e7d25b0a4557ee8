// SPDX-License-Identifier: Apache-2.0
// Makes the answers about several locks: the overview, the list and the graph of waits.
//
// Thread safety: from any thread.
#pragma once

#include "admin/api/site.hpp"
#include "admin/http/query.hpp"
#include "admin/reading/lock_json.hpp"

namespace turnstile::admin {

[[nodiscard]] json overview(site& at, const query& asked);
[[nodiscard]] json lock_list(site& at, const query& asked);
[[nodiscard]] json waits(site& at, const query& asked);
// Returns the durations of waits and holds for each group of locks with similar paths (distribution.hpp).
[[nodiscard]] json templates(site& at, const query& asked);

[[nodiscard]] json json_of(const lock_totals& totals);

}  // namespace turnstile::admin
