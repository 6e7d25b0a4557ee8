// SPDX-License-Identifier: Apache-2.0
// database_address: a parsed connect string: the database, and the path that serves as the client's root.
//
//     sqlite:/var/lib/shop/locks.db?chroot=/shop
//     postgresql://user@host:5432/db?sslmode=require&chroot=/shop
//     mysql://user@host:3306/db?ssl=true&chroot=/shop
//
// Turnstile handles only the parameter `chroot` itself. The other parameters of a PostgreSQL connect string are for
// libpq, which refuses unknown parameters. mariadb_target.hpp has the parameters for MariaDB.
//
// Thread safety: a value and pure functions.
#pragma once

#include <string>
#include <string_view>

#include "sql/linked_dialects.hpp"
#include "turnstile/result.hpp"

namespace turnstile::sql {

struct database_address {
    sql::kind kind = kind::sqlite;
    std::string target;  // a path, libpq's URI, or MariaDB's URI in its normal form
    std::string chroot;  // empty or "/a/b"
    friend bool operator==(const database_address&, const database_address&) = default;
};

// Fails with errc::bad_connect_string. The message names the violated rule and contains no password.
[[nodiscard]] result<database_address> parse_connect_string(std::string_view text);

// Returns the connect string without password and parameters, for messages and for the names of locks.
[[nodiscard]] std::string to_string(const database_address& value);

}  // namespace turnstile::sql
