// SPDX-License-Identifier: Apache-2.0
// mariadb_text: inserts values into the text of SQL statements.
//
// Text values become hexadecimal literals, so no value can end a literal, whatever the server's modes are. The client
// does not prepare statements. So several statements can share one round trip, and none of them counts towards
// max_prepared_stmt_count, a limit for all connections of a server together.
//
// Thread safety: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sql/database.hpp"

namespace turnstile::sql {

[[nodiscard]] std::string mariadb_literal(std::string_view text);
// Replaces `?1` by the first value as a literal, and `?*1` by the first value's text without change. list_of() makes
// the texts for `?*1`.
[[nodiscard]] std::string mariadb_statement(std::string_view statement,
                                            std::span<const value> arguments);

}  // namespace turnstile::sql
