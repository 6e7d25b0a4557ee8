// SPDX-License-Identifier: Apache-2.0
// dialects: which databases this build knows, and what each kind promises.
//
// Thread safety: from any thread.
#pragma once

#include <memory>

#include "core/seam/coordinator.hpp"
#include "sql/connect_string.hpp"
#include "sql/database.hpp"
#include "turnstile/promises.hpp"

namespace turnstile::sql {

struct closing_signal;

// Throws std::system_error for a kind that this build lacks: bad_connect_string.
void check_built(kind which);

// Not connected. Throws std::system_error for want of descriptors.
[[nodiscard]] std::unique_ptr<database> make_database(
    const connect_string& where, const core::session_settings& settings,
    const std::shared_ptr<closing_signal>& closing);

[[nodiscard]] turnstile::promises promises_of(kind which) noexcept;

}  // namespace turnstile::sql
