// SPDX-License-Identifier: Apache-2.0
// connect_string: which database, and below which path, taken apart and checked.
//
//     sqlite:/var/lib/shop/locks.db?chroot=/shop
//     postgresql://user@host:5432/db?sslmode=require&chroot=/shop
//     mysql://user@host:3306/db?ssl=true&chroot=/shop
//
// Of the part behind '?' only `chroot` is Turnstile's; a PostgreSQL connect string's other parameters are libpq's, which
// is asked whether it knows them; those of MariaDB are in mariadb_target.hpp.
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
    std::string target;  // a path, libpq's URI, or MariaDB's in its normal form
    std::string chroot;  // empty or "/a/b"
    friend bool operator==(const connect_string&, const connect_string&) = default;
};

// Fails with errc::bad_connect_string; the message names the rule, and masks a password.
[[nodiscard]] result<connect_string> parse_connect_string(std::string_view text);

// For people and for the names of locks, without a password and without the server's parameters.
[[nodiscard]] std::string to_string(const connect_string& value);

}  // namespace turnstile::sql
