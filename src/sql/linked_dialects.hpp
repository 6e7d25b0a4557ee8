// SPDX-License-Identifier: Apache-2.0
// linked_dialects: the functions that differ between SQLite, PostgreSQL and MariaDB.
//
// sqlite_module.cpp, postgresql_module.cpp and mariadb_module.cpp each define the function that returns their dialect.
// A program or a module contains only the dialects whose sources are linked in.
//
// Thread safety: from any thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace turnstile::base {
class latest_failure;
}

namespace turnstile::guardian {
class guardian_link;
}

namespace turnstile::sql {

enum class kind { sqlite, postgresql, mariadb };

class database;
struct closing_signal;
struct database_address;

struct session_links {
    std::shared_ptr<closing_signal> closing;
    std::shared_ptr<base::latest_failure> failures;
    std::shared_ptr<guardian::guardian_link> guardian;  // null: none
};

struct wanted_database {
    const database_address& where;
    std::chrono::milliseconds patience;  // the longest time to wait for a statement
    const session_links& session;
    const std::string& lacking;  // required promises that this kind of database lacks; empty: none
};

struct dialect {
    std::unique_ptr<database> (*make)(const wanted_database& wanted);
    // Returns true if the server keeps each acknowledged commit after a crash. The pointer is null if every database of
    // this kind keeps them.
    bool (*keeps_commits)(const database_address& where);
    // Returns the rule that the connect string's target violates, or an empty text. The pointer is null if the common
    // rules are enough.
    std::string (*fault_of)(const std::string& target);
};

[[nodiscard]] const dialect* sqlite_dialect() noexcept;
[[nodiscard]] const dialect* postgresql_dialect() noexcept;
[[nodiscard]] const dialect* mariadb_dialect() noexcept;

// Returns null if the dialect is not linked in.
[[nodiscard]] const dialect* dialect_of(kind which) noexcept;

}  // namespace turnstile::sql
