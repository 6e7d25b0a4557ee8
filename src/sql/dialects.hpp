// SPDX-License-Identifier: Apache-2.0
// dialects: makes the database object for a connect string, and returns the promises (guarantees to the user) of a kind
// of database.
//
// Thread safety: from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "core/seam/coordinator.hpp"
#include "guardian/guardian_link.hpp"
#include "sql/connect_string.hpp"
#include "sql/database.hpp"
#include "sql/linked_dialects.hpp"
#include "sql/patience.hpp"
#include "turnstile/promises.hpp"

namespace turnstile::sql {

// Makes a database object without connecting it. Only the object for a SQLite file uses the guardian, a process that
// outlives a crash of this process. Throws std::system_error if the process has no descriptors left.
[[nodiscard]] std::unique_ptr<database> make_database(const database_address& where,
                                                      const core::session_settings& settings,
                                                      const session_links& session);

// each_commit: the server keeps every acknowledged commit, even after a crash or a loss of power. not_said: the library
// has no proof of this. On MariaDB only the operator can ensure it, by a setting for the whole server.
enum class durability { each_commit, not_said };

[[nodiscard]] turnstile::promises promises_of(
    kind which, durability of_commits = durability::each_commit) noexcept;

// Returns the promises of this database, its guarantees to the user. Connects to the server if the promises depend on
// the server's settings.
[[nodiscard]] turnstile::promises promises_at(const database_address& where);

// Time limit for the queries of promises_at() to a server.
inline constexpr std::chrono::seconds k_examination{3};

// Calls `question` on a separate thread that blocks signals, as libmariadb requires (mariadb_link.hpp). Returns
// `unanswered` if `question` throws, but rethrows std::bad_alloc.
[[nodiscard]] bool ask_apart(bool unanswered, const std::function<bool()>& question);

}  // namespace turnstile::sql
