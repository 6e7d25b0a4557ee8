// SPDX-License-Identifier: Apache-2.0
// fault_of_postgresql: checks a PostgreSQL connect string without connecting. Finds the faults that libpq reports, and
// invalid ports, which libpq would report only later.
//
// Thread safety: a pure function.
#pragma once

#include <string>

namespace turnstile::sql {

// Returns libpq's error for the URI, or an empty text. The message contains no part of the URI except the name of a
// parameter, because another part may belong to a password.
[[nodiscard]] std::string fault_of_postgresql(const std::string& uri);

}  // namespace turnstile::sql
