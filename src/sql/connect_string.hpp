// SPDX-License-Identifier: Apache-2.0
// connect_string: the database and the path that a connect string names, parsed and checked.
//
//     sqlite:/var/lib/shop/locks.db?chroot=/shop
//     postgresql://user@host:5432/db?sslmode=require&chroot=/shop
//     mysql://user@host:3306/db?ssl=true&chroot=/shop
//
// Of the parameters after '?' only `chroot` is Turnstile's. The others of a PostgreSQL connect string are libpq's,
// which checks whether it knows them; MariaDB's are in mariadb_target.hpp.
//
// Thread safety: a value and pure functions.
#pragma once

#include <string>
#include <string_view>

#include "sql/linked_dialects.hpp"
#include "turnstile/result.hpp"

namespace turnstile::sql {

struct connect_string {
    sql::kind kind = kind::sqlite;
    std::string target;  // a path, libpq's URI, or MariaDB's URI in its normal form
    std::string chroot;  // empty or "/a/b"
    friend bool operator==(const connect_string&, const connect_string&) = default;
};

// Fails with errc::bad_connect_string; the message names the rule, and masks a password.
[[nodiscard]] result<connect_string> parse_connect_string(std::string_view text);

// Returns the connect string for people and for the names of locks, without password and server parameters.
[[nodiscard]] std::string to_string(const connect_string& value);

}  // namespace turnstile::sql
