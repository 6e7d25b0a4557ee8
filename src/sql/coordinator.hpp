// SPDX-License-Identifier: Apache-2.0
// coordinator: the SQL back ends, with the connect strings "sqlite:/path/to/file", "postgresql://user@host:port/db" and
// "mysql://user@host:port/db".
//
// Purpose: a program gets every recipe from a database that its team has already, or from a file. The tables of the
// database contain the sessions, the znodes, the watches and their events (docs/why/sql.md).
//
// Thread safety: all members of a coordinator from any thread.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "guardian/link.hpp"

namespace turnstile::modules {
struct wanted_servers;
}

namespace turnstile::sql {

struct coordinator_settings {
    // The interval at which a session looks for containers that have become empty.
    std::chrono::milliseconds clean_containers_every = std::chrono::minutes{1};
    // On a server, the guardian ends the sessions of this process after the process has ended. For SQLite, the guardian
    // keeps a copy of the file lock that shows other processes that this process lives. Null: no guardian.
    std::shared_ptr<guardian::link> guardian{};
};

// Throws std::system_error: bad_connect_string. The program must be linked with the dialect of this kind of database
// (linked_dialects.hpp).
[[nodiscard]] std::unique_ptr<core::coordinator> make_coordinator(
    std::string_view connect_string, const coordinator_settings& settings = {});
// Implements modules::entry::make.
[[nodiscard]] std::shared_ptr<core::coordinator> make_servers(
    const modules::wanted_servers& wanted);

}  // namespace turnstile::sql
