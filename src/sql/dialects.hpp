// SPDX-License-Identifier: Apache-2.0
// dialects: the database for a connect string's kind, and the kind's promises.
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

// Makes a database that is not connected yet. Only a file uses the guardian. Throws std::system_error if there are no
// descriptors left.
[[nodiscard]] std::unique_ptr<database> make_database(const connect_string& where,
                                                      const core::session_settings& settings,
                                                      const session_links& session);

// each_commit: after a crash or a loss of power the server still has everything that it had acknowledged.
// MariaDB's clients cannot set that: the server has one setting for all.
enum class durability { each_commit, not_said };

[[nodiscard]] turnstile::promises promises_of(
    kind which, durability of_commits = durability::each_commit) noexcept;

// Asks the server, if the promises depend on it.
[[nodiscard]] turnstile::promises promises_at(const connect_string& where);

// Time limit for asking a server about its promises.
inline constexpr std::chrono::seconds k_examination{3};

// Asks on a thread with signals blocked (mariadb_link.hpp). Returns `unanswered` if the question throws; exhausted
// memory is reported to the caller.
[[nodiscard]] bool ask_apart(bool unanswered, const std::function<bool()>& question);

}  // namespace turnstile::sql
