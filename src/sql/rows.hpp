// SPDX-License-Identifier: Apache-2.0
// rows: converts the tables' rows into znodes, events and children.
//
// Any program with write access to the tables may have written a row, so these functions check each cell. They throw
// database_error for a text in a numeric cell. They replace a number outside its range by the nearest valid number,
// because one bad row must not stop the clients.
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
    local::node_kind kind = local::node_kind::plain;
    core::stat stat;
    std::int32_t creates = 0;
};

// A child of a folder, and the session that owns the child; 0 if no session does.
struct child {
    std::string name;
    session_id owner = 0;
};

// The column `acl` of a znode is empty if every client has access. It contains the one identity with access, or this
// text if no client may write.
inline constexpr const char* k_read_only = "*";

// The kind of an event that no watch has fired: another session has removed a znode of this session. The session
// delivers no such event to callers.
inline constexpr std::int64_t k_own_removed = 100;

struct event_row {
    std::int64_t id = 0;
    std::int64_t nonce = 0;
    bool own_removed = false;  // k_own_removed
    std::optional<core::watch_kind>
        fired{};  // the fired watch's kind; nothing if this release does not know it
    std::string path;
};

// Cells: path, data, acl, kind, owner, czxid, mzxid, pzxid, ctime, mtime, version, creates, children.
[[nodiscard]] stored_node node_in(row&& cells);
// The first cell has the kind of the row. The other cells: id, kind, path, nonce.
[[nodiscard]] event_row event_in(row&& cells);
// The first cell has the kind of the row. The other cells: owner, an unused cell, path. Returns nothing if the path is
// not the path of a child.
[[nodiscard]] std::optional<child> child_in(const row& cells);
// Returns the time until or since a deadline. No session lasts for a day, so a longer time counts as one day.
[[nodiscard]] std::chrono::microseconds span_in(const std::string& cell);

// Returns ZooKeeper's number of changes of the list of children (local/node.hpp).
[[nodiscard]] std::int32_t visible_cversion(std::int32_t creates, std::int32_t children) noexcept;

}  // namespace turnstile::sql
