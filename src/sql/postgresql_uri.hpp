// SPDX-License-Identifier: Apache-2.0
// fault_of_postgresql: what libpq does not take of a connect string, and ports that it would refuse later, found before any
// connection is made.
//
// Thread safety: a pure function.
#pragma once

#include <string>

namespace turnstile::sql {

// In libpq's words, empty where it takes the URI. Of the URI itself they have a parameter's name at most: the rest may be
// of a password.
[[nodiscard]] std::string fault_of_postgresql(const std::string& uri);

}  // namespace turnstile::sql
