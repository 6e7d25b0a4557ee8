// SPDX-License-Identifier: Apache-2.0
// rows: converts the tables' rows into znodes, events and children.
//
// Any program with write access to the tables may have written a row, so these functions check each cell. A text in a
// numeric cell throws database_error. A number outside its range becomes the nearest valid number, because one bad row
// must not stop the clients.
//
// Thread safety: values and pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/seam/seam.hpp"
#include "local/preparation.hpp"
#include "sql/database.hpp"

namespace turnstile::sql {

using session_id = std::int64_t;

struct stored_node {
    std::string data;
    local::acl access;
    local::tree_node_kind kind = local::tree_node_kind::plain;
    core::stat stat;
    std::int32_t creates = 0;
};

// A child of a folder, a znode whose children are listed. `owner`: the session that owns the child, or 0.
struct child {
    std::string name;
    session_id owner = 0;
};

// The text in a znode's column `acl` if no client may write. Otherwise the column is empty (every client has access) or
// contains the one identity with access.
inline constexpr const char* k_read_only = "*";

// The kind of an event that no watch caused: another session has removed a znode of this session. The client delivers
// no such event to its user.
inline constexpr std::int64_t k_own_removed = 100;

struct event_row {
    std::int64_t id = 0;
    std::int64_t nonce = 0;
    bool own_removed = false;  // k_own_removed
    std::optional<core::watch_kind>
        fired{};  // the fired watch's kind; nothing if this release does not know it
    std::string path;
};

// Converts the row of a znode. The row's cells are path, data, acl, kind, owner, czxid, mzxid, pzxid, ctime, mtime,
// version, creates and children.
[[nodiscard]] stored_node node_in(row&& cells);
// Converts the row of an event. The first cell says that the row is an event; then come the event's id, kind, path and
// nonce.
[[nodiscard]] event_row event_in(row&& cells);
// Converts the row of a child. The first cell says that the row is a child; then come the child's owner, an unused cell
// and the child's path. Returns nothing if the path cannot be the path of a child.
[[nodiscard]] std::optional<child> child_in(const row& cells);
// Returns the time in the cell: the time until a deadline, or as a negative value the time since a deadline. No session
// timeout is as long as a day, so a longer time becomes one day.
[[nodiscard]] std::chrono::microseconds span_in(const std::string& cell);

// Returns the value that ZooKeeper calls cversion: the number of changes of the children (local/tree_node.hpp).
[[nodiscard]] std::int32_t visible_cversion(std::int32_t creates, std::int32_t children) noexcept;

}  // namespace turnstile::sql
