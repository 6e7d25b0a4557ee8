// SPDX-License-Identifier: Apache-2.0
// coordinator: the SQL back ends, with the connect strings "sqlite:/path/to/file", "postgresql://user@host:port/db" and
// "mysql://user@host:port/db".
//
// The database's tables contain the sessions, the znodes, the watches and their events (docs/why/sql.md).
//
// Thread safety: all members of a coordinator from any thread.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "guardian/guardian_link.hpp"
#include "turnstile/result.hpp"

namespace turnstile::modules {
struct orphaned_session;
struct wanted_servers;
}  // namespace turnstile::modules

namespace turnstile::sql {

struct coordinator_settings {
    // Interval at which each session looks for empty container znodes, to remove them.
    std::chrono::milliseconds container_interval = std::chrono::minutes{1};
    // For a database server, the guardian ends this process's sessions after the process has died. For SQLite, the
    // guardian holds a copy of each session's file lock, which shows other processes that this process is alive. Null:
    // no guardian.
    std::shared_ptr<guardian::guardian_link> guardian{};
};

// Throws std::system_error: bad_connect_string. The program must be linked with the dialect of this kind of database
// (linked_dialects.hpp).
[[nodiscard]] std::unique_ptr<core::coordinator> make_coordinator(
    std::string_view connect_string, const coordinator_settings& settings = {});
// Implements modules::entry::make.
[[nodiscard]] std::shared_ptr<core::coordinator> make_servers(
    const modules::wanted_servers& wanted);

// Ends a session whose process has ended. Implements modules::entry::end_session.
[[nodiscard]] result<void> end_orphan(const modules::orphaned_session& which,
                                      core::time_point until);

}  // namespace turnstile::sql
