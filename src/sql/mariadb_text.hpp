// SPDX-License-Identifier: Apache-2.0
// mariadb_text: puts values into statements.
//
// Text values are hexadecimal digits, so no value can end a literal, whatever the server's modes are. Statements are
// sent as text and not prepared: several go in one round trip, and a thousand sessions do not use up a server's
// max_prepared_stmt_count, which counts all its connections together.
//
// Thread safety: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sql/database.hpp"

namespace turnstile::sql {

[[nodiscard]] std::string mariadb_literal(std::string_view text);
// Replaces `?1` by the first value, as a literal, and `?*1` by its raw text, which list_of() has made.
[[nodiscard]] std::string mariadb_statement(std::string_view statement,
                                            std::span<const value> arguments);

}  // namespace turnstile::sql
