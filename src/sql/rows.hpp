// SPDX-License-Identifier: Apache-2.0
// rows: znodes, events and children as the tables' rows have them.
//
// Any program with write access to the tables may have written a row, so these functions check each cell. Text in a
// numeric cell throws database_error. A number outside its range is clamped to the range: one bad row must not stop the
// clients.
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

// A child and its owner, 0 for none.
struct child {
    std::string name;
    session_id owner = 0;
};

// An access list in its column: nothing for everybody, or the one identity that may, or this.
inline constexpr const char* k_read_only = "*";

// The kind of an event that is no watch's: another session has removed this node of the session's. It wakes no caller.
inline constexpr std::int64_t k_own_removed = 100;

struct event_row {
    std::int64_t id = 0;
    std::int64_t nonce = 0;
    bool own_removed = false;  // k_own_removed
    std::optional<core::watch_kind>
        fired{};  // of a watch; nothing for a kind that no release knows
    std::string path;
};

// Cells: path, data, acl, kind, owner, czxid, mzxid, pzxid, ctime, mtime, version, creates, children.
[[nodiscard]] stored_node node_in(row&& cells);
// Cells, behind one that says what the row is of: id, kind, path, nonce.
[[nodiscard]] event_row event_in(row&& cells);
// Cells, behind the same: owner, nothing, path. Nothing if the path is no child's.
[[nodiscard]] std::optional<child> child_in(const row& cells);
// Until a deadline, or since. No session lasts as long as a day: what is further away is a day away.
[[nodiscard]] std::chrono::microseconds span_in(const std::string& cell);

// As ZooKeeper's servers show it: changes of the list, see local/node.hpp.
[[nodiscard]] std::int32_t visible_cversion(std::int32_t creates, std::int32_t children) noexcept;

}  // namespace turnstile::sql
