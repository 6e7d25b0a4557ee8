// SPDX-License-Identifier: Apache-2.0
// fault_of_postgresql: the faults that libpq finds in a connect string, and ports that it would refuse later, found
// before any connection is made.
//
// Thread safety: a pure function.
#pragma once

#include <string>

namespace turnstile::sql {

// Returns libpq's error for the URI, or an empty text. Of the URI the message contains at most a parameter's name,
// because the rest may be part of a password.
[[nodiscard]] std::string fault_of_postgresql(const std::string& uri);

}  // namespace turnstile::sql
