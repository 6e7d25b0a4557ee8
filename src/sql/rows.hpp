// SPDX-License-Identifier: Apache-2.0
// rows: converts the tables' rows into znodes, events and children.
//
// Any program with write access to the tables may have written a row, so these functions check each cell. Text in a
// numeric cell throws database_error. A number outside its range is clamped to the range: one bad row must not stop
// the clients.
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

// An access list in its column: empty for everyone, or the one identity with access, or this.
inline constexpr const char* k_read_only = "*";

// The kind of an event without a watch: another session has removed this node of the session's. It wakes no caller.
inline constexpr std::int64_t k_own_removed = 100;

struct event_row {
    std::int64_t id = 0;
    std::int64_t nonce = 0;
    bool own_removed = false;  // k_own_removed
    std::optional<core::watch_kind>
        fired{};  // the watch's event; nothing for a kind that no release knows
    std::string path;
};

// Cells: path, data, acl, kind, owner, czxid, mzxid, pzxid, ctime, mtime, version, creates, children.
[[nodiscard]] stored_node node_in(row&& cells);
// Cells, after a cell with the kind of the row: id, kind, path, nonce.
[[nodiscard]] event_row event_in(row&& cells);
// Cells, after the same: owner, nothing, path. Nothing if the path is no child's.
[[nodiscard]] std::optional<child> child_in(const row& cells);
// The time until or since a deadline. No session lasts as long as a day: a longer time counts as a day.
[[nodiscard]] std::chrono::microseconds span_in(const std::string& cell);

// ZooKeeper's value: changes of the list, see local/node.hpp.
[[nodiscard]] std::int32_t visible_cversion(std::int32_t creates, std::int32_t children) noexcept;

}  // namespace turnstile::sql
