// SPDX-License-Identifier: Apache-2.0
// The audit log as JSON, page by page, and as CSV; and the orders that are under way.
//
// Thread safety: from any thread.
#pragma once

#include <string>
#include <vector>

#include "admin/api/site.hpp"
#include "admin/http/query.hpp"
#include "admin/reading/lock_json.hpp"

namespace turnstile::admin {

// Parameters of both: which entries. audit_page has offset and limit, too.
[[nodiscard]] std::vector<std::string> audit_parameters(bool paged);

// Newest first. Throw refusal (400) for a value that is none.
[[nodiscard]] json audit_page(site& at, const query& asked);
// A line for each entry, RFC 4180. A spreadsheet shows a cell as text, whatever it begins with.
[[nodiscard]] std::string audit_csv(site& at, const query& asked);

[[nodiscard]] json orders_page(site& at, const query& asked);

}  // namespace turnstile::admin
