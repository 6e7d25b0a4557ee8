// SPDX-License-Identifier: Apache-2.0
// The SQL back ends: connect strings "sqlite:/path/to/file", "postgresql://user@host:port/db" and
// "mysql://user@host:port/db".
//
// Purpose: sessions, znodes, watches and their events in the tables of a database (docs/why/sql.md), so that every
// recipe runs where a team has a database, or only a file system.
//
// Thread safety: all members of a coordinator from any thread.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "guardian/link.hpp"

namespace turnstile::sql {

struct coordinator_settings {
    // The interval at which emptied containers are searched for.
    std::chrono::milliseconds clean_containers_every = std::chrono::minutes{1};
    // On a server: the guardian ends the sessions of this process when it has ended. For SQLite: it keeps a copy of the
    // file lock that proves to other processes that this process lives. Null: no guardian.
    std::shared_ptr<guardian::link> guardian{};
};

// Throws std::system_error: bad_connect_string. The kind of database is linked in (dialects.hpp).
[[nodiscard]] std::unique_ptr<core::coordinator> make_coordinator(
    std::string_view connect_string, const coordinator_settings& settings = {});

}  // namespace turnstile::sql
