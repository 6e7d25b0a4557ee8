// SPDX-License-Identifier: Apache-2.0
// fault_of_postgresql: checks a PostgreSQL connect string by libpq's parser, and also checks the ports. Does not
// connect.
//
// Thread safety: a pure function.
#pragma once

#include <string>

namespace turnstile::sql {

// Returns libpq's error for the URI, or an empty text. The message contains no part of the URI except a parameter's
// name: other parts may belong to a password.
[[nodiscard]] std::string fault_of_postgresql(const std::string& uri);

}  // namespace turnstile::sql
