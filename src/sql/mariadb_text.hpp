// SPDX-License-Identifier: Apache-2.0
// mariadb_text: statements with their values in them.
//
// Values of text are hexadecimal digits, so nothing in them can end a literal, whatever the server's modes are. Statements
// are sent as text and not prepared: several of them go in one round trip, and a server's max_prepared_stmt_count, which
// is for all of its connections together, is not used up by a thousand sessions.
//
// Thread safety: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sql/database.hpp"

namespace turnstile::sql {

[[nodiscard]] std::string mariadb_literal(std::string_view text);
// For `?1` the first value, as a literal; for `?*1` its text as it is, which list_of() has made.
[[nodiscard]] std::string mariadb_statement(std::string_view statement,
                                            std::span<const value> arguments);

}  // namespace turnstile::sql
