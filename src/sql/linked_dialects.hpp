// SPDX-License-Identifier: Apache-2.0
// linked_dialects: the functions in which the kinds of databases differ.
//
// A program, or a module, has the dialects that it is linked with: a dialect is a function of its kind's source
// (sqlite_module.cpp, postgresql_module.cpp, mariadb_module.cpp), and null if that is absent.
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
class link;
}

namespace turnstile::sql {

enum class kind { sqlite, postgresql, mariadb };

class database;
struct closing_signal;
struct connect_string;

// The objects that a session shares with its database.
struct session_links {
    std::shared_ptr<closing_signal> closing;
    std::shared_ptr<base::latest_failure> failures;
    std::shared_ptr<guardian::link> guardian;  // null: none
};

struct wanted_database {
    const connect_string& where;
    std::chrono::milliseconds patience;  // limit for a statement
    const session_links& session;
    const std::string& lacking;  // required promises that the kind lacks; empty: none
};

struct dialect {
    std::unique_ptr<database> (*make)(const wanted_database& wanted);
    // True if the server kept each commit that it acknowledged; null for a kind that always does.
    bool (*keeps_commits)(const connect_string& where);
    // Returns the fault in a connect string's target, empty if there is none; null if the common rules suffice.
    std::string (*fault_of)(const std::string& target);
};

[[nodiscard]] const dialect* sqlite_dialect() noexcept;
[[nodiscard]] const dialect* postgresql_dialect() noexcept;
[[nodiscard]] const dialect* mariadb_dialect() noexcept;

// Null for a kind that is not linked in.
[[nodiscard]] const dialect* dialect_of(kind which) noexcept;

}  // namespace turnstile::sql
