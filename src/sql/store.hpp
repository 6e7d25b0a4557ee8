// SPDX-License-Identifier: Apache-2.0
// store: one session's requests, in transactions of a database. Requests that wait together share one
// (request_batch.hpp).
//
// | action           | its transaction                                                                          |
// |------------------|------------------------------------------------------------------------------------------|
// | open             | adds the session's row, its deadline by the database's clock                             |
// | resume           | counts a new attachment; requests of older ones have no effect any more. Ends the        |
// |                  | session if the database knows fewer changes than its client, if a node exists again of   |
// |                  | which the client knows that others removed it, or if its id has a row with other         |
// |                  | attachments                                                                              |
// | writes           | moves the deadline, locks the paths, takes a number for each, checks, changes, queues    |
// |                  | events; counts itself if it creates or removes nodes; includes lists of their folders    |
// | watched reads    | keeps the session, locks the paths, reads, remembers the watches                         |
// | reads            | reads one snapshot                                                                       |
// | hear             | fetches the session's events; with `touch` moves the deadline                            |
// | end of a session | removes it with its watches and ephemeral nodes, at one number                           |
// | repair           | creates a row, which will be due, for owners without one; restores a missing root        |
//
// Each transaction, except the ends of other sessions, also fetches the events that are queued for this session. A later
// write removes an event's row: so an event whose transaction's answer was lost is fetched once more.
//
// Locks are taken in one order (session rows, paths, node rows), so transactions do not wait in a cycle, and a
// database that still finds a cycle reports `retry`.
//
// Thread safety: one thread at a time. All members except the constructor throw database_error; the store handles
// `retry` as long as a repetition can succeed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "sql/database.hpp"
#include "sql/stored_nodes.hpp"
#include "sql/touched_paths.hpp"

namespace turnstile::sql {

struct reading;

struct store_settings {
    std::chrono::milliseconds timeout{};
    local::identities client;
};

// The result of store::close(). `held`: a user's transaction holds a node of the session.
enum class close_outcome { ended, absent, held };

// A session has at most so many attachments.
inline constexpr std::int64_t k_most_attachments = 1 << 20;

struct stored_session {
    session_id id = 0;
    // Counts the attachments from a random number: another session, even with the same id, is millions away.
    std::int64_t attachment = 0;
    // Its process has ended, and its later attachments are not known.
    bool orphaned = false;
};

struct queued_event {
    std::int64_t id = 0;
    core::watch_kind kind{};
    std::string path;
    std::size_t ahead_of = 0;  // the event comes before the reply to this request of the batch
};

// Requests of one batch (request_batch.hpp), in the order of submission.
using operations = std::span<const core::operation* const>;

struct carried_out {
    std::vector<queued_event> events;
    // A reply for each request, without the connection's data. None: a list that must be sent separately.
    std::vector<std::optional<core::reply>> replies;
    bool expired = false;  // the session has ended
    // Watched reads: until the earliest deadline of another session, if there is one.
    std::optional<std::chrono::microseconds> next_end{};
};

struct heard {
    std::vector<queued_event> events;
    bool expired = false;
    // The time until the earliest deadline of another session; empty if there is no other session.
    std::optional<std::chrono::microseconds> next_end;
    local::client_watch_list watches{};  // the database's watches, if requested
};

// Rows that other programs than this library had deleted.
struct repaired {
    std::int64_t sessions =
        0;              // owners of nodes, without rows: they have rows again, and will be due
    bool root = false;  // the nodes that every tree has: restored
};

class store {
public:
    // `own`: a session of a process that has ended, for close().
    store(database& db, store_settings settings, stored_session own = {});

    [[nodiscard]] const stored_session& own() const noexcept { return own_; }
    [[nodiscard]] session_id id() const noexcept { return own_.id; }
    // The database's wall clock when the session was opened.
    [[nodiscard]] const std::optional<core::clock_reading>& clock() const noexcept {
        return clock_;
    }
    void open();
    // Returns false if the session has ended.
    [[nodiscard]] bool resume();

    // Executes all operations in one transaction. An operation that the tables refuse changes nothing, and the others
    // are executed. If apply() throws, no operation was executed, or commit_unknown() is true.
    [[nodiscard]] carried_out apply(operations all);
    enum class touch { no, yes };
    enum class watch_list { not_asked, asked };
    [[nodiscard]] heard hear(touch how, watch_list standing = watch_list::not_asked);
    [[nodiscard]] std::vector<queued_event> forget_watches(std::span<const std::string> paths);
    // Ends this session. After `held` others end it later.
    close_outcome close();
    // Leaves the session's row expired; another client deletes it.
    void give_up();

    // Ends the other sessions that are due, or whose process has ended. Returns false if a user's transaction holds
    // some due sessions.
    [[nodiscard]] bool end_others();
    // Returns true for one of all clients, once in `every`: it is this session's turn to clean up.
    [[nodiscard]] bool has_turn_to_clean(std::chrono::microseconds every);
    // Removes emptied containers.
    void clean_containers();
    // Repairs deletions by hand.
    repaired repair();

    // True if the last call ended because the connection was lost during a commit.
    [[nodiscard]] bool commit_unknown() const noexcept { return committing_; }

private:
    using body = std::function<void()>;
    // Runs `work` in a transaction, and again after a conflict. After the commit it runs `after`, which fetches answers
    // that no statement of the transaction needed.
    void transact(
        access how, const body& work, const body& after = [] {});

    [[nodiscard]] carried_out write(operations all);
    // Posts the changes of each request, and makes its reply. Returns the folders whose lists are included.
    [[nodiscard]] std::vector<std::string> write_each(operations all, const touched_paths& touching,
                                                      std::span<const moment> moments,
                                                      carried_out& out);
    [[nodiscard]] carried_out read(operations all);
    // Returns false if the result shows the node of an ended session: read once more.
    [[nodiscard]] bool read_once(operations all, carried_out& out);
    void write_parts(local::preparation& checks, const core::operation& op, const moment& when,
                     core::reply& reply);
    void write_one(local::preparation& checks, const core::operation& op, const moment& when,
                   core::reply& reply);
    // Asks for the session's row. With access::write the row is locked until the transaction ends.
    [[nodiscard]] asked_statement ask_for_session(access how);
    // The last query of a transaction: the session's events and changes, and on request the earliest deadline of
    // another session and the children of a folder.
    struct news {
        std::vector<queued_event> events;  // that were not fetched before
        std::optional<std::chrono::microseconds> next_end{};
        std::map<std::string, std::vector<child>> children{};  // by folder
    };
    // `node`: null if there is none. Adds to `owners` the sessions whose nodes the reply shows.
    [[nodiscard]] core::reply answer_of(const reading& asked, const stored_node* node,
                                        const news& found, std::set<session_id>& owners) const;
    enum class ends { unasked, asked };
    void ask_for_news(ends deadlines, std::span<const std::string> folders = {});
    [[nodiscard]] news take_news();
    void drop_fetched();
    // Counts the changes that the database reports.
    void count(std::int64_t changes);
    // True if a node exists again that others had removed: the database has forgotten the removal.
    [[nodiscard]] bool one_stands_again();
    [[nodiscard]] core::reply begin_listing(const core::children_op& list) const;
    void finish_listing(const news& found, const std::string& folder,
                        std::optional<core::reply>& list) const;
    // True if all of them still live, as far as this process can tell.
    [[nodiscard]] bool all_live(const std::set<session_id>& owners) const;

    enum class end_if { due, gone, own, orphaned };
    bool end_session(session_id session, end_if why);
    [[nodiscard]] bool claim(session_id session, end_if why);

    database& db_;
    const store_settings settings_;
    stored_nodes nodes_;
    stored_session own_;
    std::optional<core::clock_reading> clock_;
    // The database's latest count of this session's requests that create or remove nodes, including refused ones.
    std::int64_t changes_ = 0;
    // Paths of own nodes whose removal by another session was reported after the latest of these requests.
    std::set<std::string> removed_;
    bool committing_ = false;
    int attempt_ = 0;                      // the current transaction's
    std::optional<asked_statement> news_;  // the query of the current transaction
    // Nonces of events that were fetched, and whose rows still exist.
    std::set<std::int64_t> delivered_;
    std::map<std::int64_t, std::size_t> fired_;  // by the current transaction: with the request
    std::vector<std::int64_t> fetched_;          // by the current transaction
    std::vector<std::int64_t> dropped_;          // by the current transaction
};

}  // namespace turnstile::sql
