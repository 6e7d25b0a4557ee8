// SPDX-License-Identifier: Apache-2.0
// stored_nodes: the znodes in the table turnstile_nodes, and the watches on them in turnstile_watches.
//
// Purpose: reads nodes, and carries out what local/preparation.hpp made of a request: changes the rows, takes the
// watches that fire, and queues their events for the sessions that had set them. Begins and ends no transaction; the
// caller has locked the paths.
//
// Thread safety: one thread at a time, that of the database.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

// When a transaction happens.
struct moment {
    std::int64_t number = 0;
    std::int64_t now_ms = 0;
};

// A child and its owner, 0 for none.
struct child {
    std::string name;
    session_id owner = 0;
};

enum class watch_table : std::int64_t { data = 0, children = 1 };

class stored_nodes {
public:
    explicit stored_nodes(database& db) : db_{db} {}

    [[nodiscard]] std::optional<stored_node> read(const std::string& path);
    [[nodiscard]] std::map<std::string, stored_node> read(std::span<const std::string> paths);
    [[nodiscard]] std::vector<child> children_of(const std::string& path);
    // In ascending order.
    [[nodiscard]] std::vector<std::string> ephemerals_of(session_id session);
    // Containers that had children and have none now.
    [[nodiscard]] std::vector<std::string> abandoned_containers();

    void carry_out(const local::transaction& change, const moment& when);
    // The node's row is claimed first: row_held if a user's transaction has it.
    void remove(const std::string& path, const moment& when);

    void watch(watch_table kind, const std::string& path, session_id session,
               const local::identities& client);
    void forget_watches(const std::string& path, session_id session);
    [[nodiscard]] std::vector<std::string> watched_by(session_id session);

    // The sessions for which events were queued since the last call.
    [[nodiscard]] std::set<session_id> take_told() { return std::exchange(told_, {}); }

private:
    void create(const local::create_txn& txn, const moment& when);
    void set(const local::set_txn& txn, const moment& when);
    void fire(const result_rows& watches, core::watch_kind kind, const std::string& path,
              const local::acl& access);
    [[nodiscard]] result_rows take_watches(watch_table kind, const std::string& path);
    [[nodiscard]] local::acl access_of(const std::string& path);

    database& db_;
    std::set<session_id> told_;
};

}  // namespace turnstile::sql
