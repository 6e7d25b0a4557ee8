// SPDX-License-Identifier: Apache-2.0
// linked_dialects: what each kind of database does in its own way.
//
// A program, or a module, has the dialects that it is linked with: a dialect is a function of its kind's source
// (sqlite_module.cpp, postgresql_module.cpp, mariadb_module.cpp), and null where that is not there.
//
// Thread safety: from any thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace turnstile::guardian {
class link;
}

namespace turnstile::sql {

enum class kind { sqlite, postgresql, mariadb };

class database;
struct closing_signal;
struct connect_string;

struct wanted_database {
    const connect_string& where;
    std::chrono::milliseconds patience;               // how long a statement may take
    const std::shared_ptr<closing_signal>& closing;   // of the session
    const std::shared_ptr<guardian::link>& guardian;  // null: none
    const std::string& lacking;  // what the kind lacks of what the client requires, or empty
};

struct dialect {
    std::unique_ptr<database> (*make)(const wanted_database& wanted);
    // True if the server keeps each commit that it acknowledged; null for a kind that always does.
    bool (*keeps_commits)(const connect_string& where);
    // What is wrong with the target of a connect string, empty if nothing is; null if the common rules say all.
    std::string (*fault_of)(const std::string& target);
};

[[nodiscard]] const dialect* sqlite_dialect() noexcept;
[[nodiscard]] const dialect* postgresql_dialect() noexcept;
[[nodiscard]] const dialect* mariadb_dialect() noexcept;

// Null for a kind that is not linked in.
[[nodiscard]] const dialect* dialect_of(kind which) noexcept;

}  // namespace turnstile::sql
