// SPDX-License-Identifier: Apache-2.0
// stored_nodes: the znodes in the table turnstile_nodes, and the watches on them in turnstile_watches.
//
// Reads znodes, and executes the changes that local/preparation.hpp has computed from a request. A change updates the
// rows, removes the watches that fire, and queues their events. The caller begins and ends the transaction, and has
// locked the paths. These locks exclude other changes, so each znode and watch is read once, and no change waits for
// the answers to its statements.
//
// Thread safety: one thread at a time: the thread that uses the database.
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

using local::moment;

// A session and the number of its current attachment (connect to the database). The database no longer executes
// requests of an earlier attachment.
struct attached_session {
    session_id id = 0;
    std::int64_t attachment = 0;
};

enum class watched_part : std::int64_t { data = 0, children = 1 };

class stored_nodes {
public:
    explicit stored_nodes(database& db) : db_{db} {}

    [[nodiscard]] std::optional<stored_node> read(const std::string& path);
    // ask_all() sends the queries for the znodes at `paths`. take_all() returns the znodes that exist.
    [[nodiscard]] std::vector<asked_statement> ask_all(std::span<const std::string> paths);
    [[nodiscard]] std::map<std::string, stored_node> take_all(
        std::span<const asked_statement> asked);
    // Returns the paths of the session's ephemeral znodes, in ascending order.
    [[nodiscard]] std::vector<std::string> ephemerals_of(session_id session);
    [[nodiscard]] asked_statement ask_ephemerals_of(session_id session);
    [[nodiscard]] static std::vector<std::string> paths_in(result_rows&& rows);
    // Returns the container znodes that had children and have none now.
    [[nodiscard]] std::vector<std::string> abandoned_containers();
    // Locks and creates the znodes that every tree has (sql/schema). Leaves existing znodes unchanged.
    void make_root();

    // ---- the steps of a change ----
    // look() sends the queries for a change, and read_answers() reads their answers. They read three things: the znodes
    // at `paths`, the watches on `paths`, and the watches on names that consist of one of `prefixes` and a number.
    void look(std::span<const std::string> paths, std::span<const std::string> prefixes);
    void read_answers();
    // Returns the znode, with the changes of this transaction, or null. Call this only for paths that look() has read.
    [[nodiscard]] const stored_node* found(const std::string& path) const;

    // Executes a session's change. If the change removes another session's znode, the owner gets the event
    // k_own_removed.
    void carry_out(const local::transaction& change, const moment& when, session_id by);
    // Removes the znode. Throws row_held if a user's own transaction has locked its row.
    void remove(const std::string& path, const moment& when);

    // ---- watches ----
    // watch() and forget_watches() have no effect if the session has ended or has attached again.
    void watch(watched_part kind, const std::string& path, const attached_session& session,
               const local::identities& client);
    void forget_watches(const std::string& path, const attached_session& session);
    [[nodiscard]] std::vector<std::string> watched_by(session_id session);
    [[nodiscard]] asked_statement ask_watches_of(session_id session);
    [[nodiscard]] static local::client_watch_list watches_in(result_rows&& rows);

    // Returns the sessions for which events were queued since the last call.
    [[nodiscard]] std::set<session_id> take_told() { return std::exchange(told_, {}); }
    // Returns the nonces of the events that were queued since the last call.
    [[nodiscard]] std::vector<std::int64_t> take_queued() { return std::exchange(queued_, {}); }

private:
    struct set_watch {
        session_id session = 0;
        std::string identity;
    };
    using place = std::pair<std::string, watched_part>;

    void create(const local::create_txn& txn, const moment& when);
    void set(const local::set_txn& txn, const moment& when);
    [[nodiscard]] std::vector<set_watch> take_watches(watched_part kind, const std::string& path);
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
