// SPDX-License-Identifier: Apache-2.0
// The audit log as JSON, page by page, and as CSV; and the orders in progress.
//
// Thread safety: from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admin/api/site.hpp"
#include "admin/http/query.hpp"
#include "admin/reading/lock_json.hpp"

namespace turnstile::admin {

// The parameters that select entries. audit_page also has offset and limit.
[[nodiscard]] std::vector<std::string> audit_parameters(bool paged);

// The newest entry is first. Both functions throw refusal (400) for an invalid value.
[[nodiscard]] json audit_page(site& at, const query& asked);
// Returns a line for each entry, in RFC 4180's form. A spreadsheet shows each cell as text, whatever its first
// character is.
[[nodiscard]] std::string audit_csv(site& at, const query& asked);
// Returns one quoted cell. Control characters and marks that turn the direction of writing are escaped ("\x1b"), and an
// apostrophe goes before what a spreadsheet would take for a formula.
[[nodiscard]] std::string csv_cell(std::string_view text);

[[nodiscard]] json orders_page(site& at, const query& asked);

}  // namespace turnstile::admin
