// SPDX-License-Identifier: Apache-2.0
// dialects: a database of a connect string's kind, and what the kind promises.
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

// Not connected. The kind is linked in. `guardian` (null: none) is of use with a file alone. Throws std::system_error for
// want of descriptors.
[[nodiscard]] std::unique_ptr<database> make_database(
    const connect_string& where, const core::session_settings& settings,
    const std::shared_ptr<closing_signal>& closing,
    const std::shared_ptr<guardian::link>& guardian);

// Whether a server that comes back after a crash, or after a loss of power, has all that it had acknowledged. MariaDB's
// clients cannot ask for it: the server has one setting for all.
enum class durability { each_commit, not_said };

[[nodiscard]] turnstile::promises promises_of(
    kind which, durability of_commits = durability::each_commit) noexcept;

// Asks the server, where it has a say.
[[nodiscard]] turnstile::promises promises_at(const connect_string& where);

// How long a server is asked what it promises.
inline constexpr std::chrono::seconds k_examination{3};

// Asks on a thread with signals blocked (mariadb_link.hpp). The answer is `unanswered` if the question throws; a want of
// memory is the caller's.
[[nodiscard]] bool ask_apart(bool unanswered, const std::function<bool()>& question);

}  // namespace turnstile::sql
