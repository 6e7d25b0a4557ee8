// SPDX-License-Identifier: Apache-2.0
// Converts the audit log to JSON (in pages) and to CSV, and the orders in progress to JSON.
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

// Returns the names of the query parameters that select entries. If `paged`, adds `offset` and `limit`, which only
// audit_page() accepts.
[[nodiscard]] std::vector<std::string> audit_parameters(bool paged);

// audit_page() and audit_csv() return the newest entry first, and throw refusal (400) for an invalid value.
[[nodiscard]] json audit_page(site& at, const query& asked);
// Returns a line for each entry, as RFC 4180 requires. Spreadsheets show each cell as text, whatever its first
// character is.
[[nodiscard]] std::string audit_csv(site& at, const query& asked);
// Returns a quoted cell. Escapes control characters and marks that change the direction of writing ("\x1b"). Puts an
// apostrophe before a text that a spreadsheet would take for a formula.
[[nodiscard]] std::string csv_cell(std::string_view text);

[[nodiscard]] json orders_page(site& at, const query& asked);

}  // namespace turnstile::admin
