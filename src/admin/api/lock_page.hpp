// SPDX-License-Identifier: Apache-2.0
// Makes the answer about one lock: its holders, a page of its queue, its earlier holders, and the durations of holds
// and waits.
//
// Thread safety: from any thread.
#pragma once

#include "admin/api/site.hpp"
#include "admin/http/query.hpp"
#include "admin/reading/distribution.hpp"
#include "admin/reading/lock_json.hpp"

namespace turnstile::admin {

[[nodiscard]] json lock_page(site& at, const query& asked);

[[nodiscard]] json json_of(const distribution& times);
[[nodiscard]] json json_of(const hold_span& span);

}  // namespace turnstile::admin
