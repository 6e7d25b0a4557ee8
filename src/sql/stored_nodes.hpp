// SPDX-License-Identifier: Apache-2.0
// stored_nodes: the znodes in the table turnstile_nodes, and the watches on them in turnstile_watches.
//
// Purpose: reads nodes, and executes the changes that local/preparation.hpp made of a request: changes the rows,
// takes the watches that fire, and queues their events for the sessions that had set them. Begins and ends no
// transaction; the caller has locked the paths. Under these locks neither the nodes nor the watches on them change,
// so a change reads both once, and waits for none of its statements.
//
// Thread safety: one thread at a time, the database's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "core/seam/seam.hpp"
#include "local/client_watches.hpp"
#include "local/preparation.hpp"
#include "sql/database.hpp"
#include "sql/rows.hpp"

namespace turnstile::sql {

// The number and the time of a transaction.
struct moment {
    std::int64_t number = 0;
    std::int64_t now_ms = 0;
};

// A session together with one of its attachments: requests of an earlier attachment are not executed any more.
struct attached_session {
    session_id id = 0;
    std::int64_t attachment = 0;
};

enum class watch_table : std::int64_t { data = 0, children = 1 };

class stored_nodes {
public:
    explicit stored_nodes(database& db) : db_{db} {}

    [[nodiscard]] std::optional<stored_node> read(const std::string& path);
    // ask_all() sends the questions; take_all() returns the nodes that exist.
    [[nodiscard]] std::vector<asked_statement> ask_all(std::span<const std::string> paths);
    [[nodiscard]] std::map<std::string, stored_node> take_all(
        std::span<const asked_statement> asked);
    // Returns the paths in ascending order.
    [[nodiscard]] std::vector<std::string> ephemerals_of(session_id session);
    [[nodiscard]] asked_statement ask_ephemerals_of(session_id session);
    [[nodiscard]] static std::vector<std::string> paths_in(result_rows&& rows);
    // Containers that had children and have none now.
    [[nodiscard]] std::vector<std::string> abandoned_containers();
    // Creates the nodes that every tree has, as in sql/schema; existing ones stay. Locks their paths.
    void make_root();

    // ---- a change ----
    // What it needs to know: the nodes at these paths, and the watches there and on the names that numbers after
    // `prefixes` make. First sends the queries, then reads the answers.
    void look(std::span<const std::string> paths, std::span<const std::string> prefixes);
    void read_answers();
    // The node after the change so far; only for paths that were read.
    [[nodiscard]] const stored_node* found(const std::string& path) const;

    // Executes a session's change. The owner of a node that another session removes learns it later: k_own_removed.
    void carry_out(const local::transaction& change, const moment& when, session_id by);
    // Claims the node's row first: row_held if a user's transaction has it.
    void remove(const std::string& path, const moment& when);

    // ---- watches ----
    // No effect if the session has ended, or has attached again.
    void watch(watch_table kind, const std::string& path, const attached_session& session,
               const local::identities& client);
    void forget_watches(const std::string& path, const attached_session& session);
    [[nodiscard]] std::vector<std::string> watched_by(session_id session);
    [[nodiscard]] asked_statement ask_watches_of(session_id session);
    [[nodiscard]] static local::client_watch_list watches_in(result_rows&& rows);

    // The sessions for which events were queued since the last call.
    [[nodiscard]] std::set<session_id> take_told() { return std::exchange(told_, {}); }
    // The nonces of the events that were queued since the last call.
    [[nodiscard]] std::vector<std::int64_t> take_queued() { return std::exchange(queued_, {}); }

private:
    struct set_watch {
        session_id session = 0;
        std::string identity;
    };
    using place = std::pair<std::string, watch_table>;

    void create(const local::create_txn& txn, const moment& when);
    void set(const local::set_txn& txn, const moment& when);
    // Uses up the watches there.
    [[nodiscard]] std::vector<set_watch> take_watches(watch_table kind, const std::string& path);
    void queue(session_id session, std::int64_t kind, const std::string& path);
    void fire(const std::vector<set_watch>& watches, core::watch_kind kind, const std::string& path,
              const local::acl& access);
    void fire_at_parent(const std::string& parent);

    database& db_;
    std::vector<asked_statement> asked_;
    std::map<std::string, stored_node> found_;
    std::map<place, std::vector<set_watch>> watches_;
    std::set<session_id> told_;
    std::vector<std::int64_t> queued_;
    base::random chance_ = base::random::from_system();
};

}  // namespace turnstile::sql
