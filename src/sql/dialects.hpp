// SPDX-License-Identifier: Apache-2.0
// dialects: which databases this build knows, and what each kind promises.
//
// Thread safety: from any thread.
#pragma once

#include <memory>

#include "core/seam/coordinator.hpp"
#include "guardian/link.hpp"
#include "sql/closing_signal.hpp"
#include "sql/connect_string.hpp"
#include "sql/database.hpp"
#include "turnstile/promises.hpp"

namespace turnstile::sql {

// Throws std::system_error for a kind that this build lacks: bad_connect_string.
void check_built(kind which);

// Not connected. `guardian` (null: none) is of use with a file alone. Throws std::system_error for want of descriptors.
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

}  // namespace turnstile::sql
