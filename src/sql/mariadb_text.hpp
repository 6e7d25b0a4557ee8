// SPDX-License-Identifier: Apache-2.0
// mariadb_text: puts values into the text of statements.
//
// Text values become hexadecimal digits, so no value can end a literal, whatever the server's modes are. The client
// sends statements as text and does not prepare them. So several statements go in one round trip. A thousand sessions
// would otherwise use up max_prepared_stmt_count, the server's limit for all connections together.
//
// Thread safety: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sql/database.hpp"

namespace turnstile::sql {

[[nodiscard]] std::string mariadb_literal(std::string_view text);
// Replaces `?1` by the first value as a literal, and `?*1` by the first value's text without change, which list_of()
// has made.
[[nodiscard]] std::string mariadb_statement(std::string_view statement,
                                            std::span<const value> arguments);

}  // namespace turnstile::sql
