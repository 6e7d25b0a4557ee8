// SPDX-License-Identifier: Apache-2.0
// dialects: makes the database object for a connect string, and returns the promises of a kind of database.
//
// Thread safety: from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "core/seam/coordinator.hpp"
#include "guardian/link.hpp"
#include "sql/closing_signal.hpp"
#include "sql/connect_string.hpp"
#include "sql/database.hpp"
#include "sql/linked_dialects.hpp"
#include "turnstile/promises.hpp"

namespace turnstile::sql {

// Makes a database object that is not connected yet. Only the object for a SQLite file uses the guardian. Throws
// std::system_error if the process has no descriptors left.
[[nodiscard]] std::unique_ptr<database> make_database(const connect_string& where,
                                                      const core::session_settings& settings,
                                                      const session_links& session);

// each_commit: after a crash or a loss of power, the server still has every commit that it has acknowledged. A client
// cannot set this on MariaDB: one setting of the server is for all clients.
enum class durability { each_commit, not_said };

[[nodiscard]] turnstile::promises promises_of(
    kind which, durability of_commits = durability::each_commit) noexcept;

// Returns the promises. Asks the server if the promises depend on its settings.
[[nodiscard]] turnstile::promises promises_at(const connect_string& where);

// Time limit for the questions to a server about its promises.
inline constexpr std::chrono::seconds k_examination{3};

// Calls `question` on a separate thread with blocked signals, because libmariadb needs that (mariadb_link.hpp). Returns
// `unanswered` if `question` throws. Throws std::bad_alloc if `question` does.
[[nodiscard]] bool ask_apart(bool unanswered, const std::function<bool()>& question);

}  // namespace turnstile::sql
