// SPDX-License-Identifier: Apache-2.0
// store: executes the requests of one session in transactions of a database. An attachment is one connect of the
// session to the database. Requests that wait together share a transaction (request_batch.hpp).
//
// | action           | its transaction                                                                          |
// |------------------|------------------------------------------------------------------------------------------|
// | open             | adds the session's row, with a deadline by the database's clock                          |
// | resume           | counts a new attachment, so that requests of older attachments have no effect. Ends the  |
// |                  | session in three cases: the database has fewer changes than the client has made, a znode |
// |                  | that another session had removed exists again, or the row belongs to another session     |
// | writes           | moves the deadline, locks the paths, takes a number for each write, checks and executes  |
// |                  | the writes, queues events, and reads the folders that the batch lists. Raises the        |
// |                  | session's counter of changes if a write creates or removes a znode                       |
// | watched reads    | locks the session's row against removal, locks the paths, reads the znodes, and stores   |
// |                  | the watches                                                                              |
// | reads            | reads one snapshot                                                                       |
// | hear             | fetches the session's events; with `touch` moves the deadline                            |
// | end of a session | removes the session, its watches and its ephemeral znodes, with one transaction number   |
// | repair           | creates the missing rows of sessions that own znodes; restores a missing root            |
//
// Each transaction, except the end of another session, also fetches the events that are queued for this session. A
// later write deletes the rows of these events. If the answer to a transaction is lost, the next transaction fetches
// the same events again.
//
// All transactions take locks in one order (session rows, paths, rows of znodes), so that they cannot deadlock. If a
// database still finds a deadlock, it reports `retry`.
//
// Thread safety: one thread at a time. All members except the constructor may throw database_error. The store repeats a
// transaction after `retry` as long as a repetition can succeed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "sql/database.hpp"
#include "sql/fetched_news.hpp"
#include "sql/stored_nodes.hpp"
#include "sql/touched_paths.hpp"

namespace turnstile::sql {

struct reading;  // in store_reads.cpp

struct store_settings {
    std::chrono::milliseconds timeout{};
    local::identities client;
};

// The result of store::close(). `held`: a user's own transaction has locked a znode of the session.
enum class close_outcome { ended, absent, held };

// The largest number of attachments (connects to the database) in a session's life.
inline constexpr std::int64_t k_most_attachments = 1 << 20;

// The result of store::end_others(). `held`: an expired session remains, because a user's own transaction has locked
// one of its znodes. `some_left`: the time limit ended the work early.
enum class ends_of_others { all, held, some_left };

struct stored_session {
    session_id id = 0;
    // The number of the latest attachment (connect to the database). A session counts its attachments from a random
    // number, so that two sessions with the same id have very different numbers.
    std::int64_t attachment = 0;
    // True if the session's process has ended. `attachment` may then be smaller than the attachment number in the
    // session's row.
    bool orphaned = false;
};

// The requests of one batch (request_batch.hpp), in the order of submission.
using operations = std::span<const core::operation* const>;

struct carried_out {
    std::vector<queued_event> events;
    // The reply to each request, without the id, the connection and the time of sending, which session_outlet adds. A
    // list request has no reply if the caller must execute it again in a separate transaction.
    std::vector<std::optional<core::reply>> replies;
    bool expired = false;  // the session has ended
    // Set only for watched reads: the time until the earliest deadline of another session; empty if there is no other
    // session.
    std::optional<std::chrono::microseconds> next_end{};
};

struct heard {
    std::vector<queued_event> events;
    bool expired = false;
    // The time until the earliest deadline of another session; empty if there is no other session.
    std::optional<std::chrono::microseconds> next_end;
    local::client_watch_list watches{};  // the session's watches at the database, if requested
};

struct repaired {
    std::int64_t sessions = 0;  // znode owners without a row; each has got a row and will expire
    bool root = false;          // true if the znodes that every tree has were missing
};

class store {
public:
    // `own`: a session whose process has ended, if the caller will close() that session. Other callers omit this
    // argument.
    store(database& db, store_settings settings, stored_session own = {});

    [[nodiscard]] const stored_session& own() const noexcept { return own_; }
    [[nodiscard]] session_id id() const noexcept { return own_.id; }
    // The database's wall clock when the session was opened.
    [[nodiscard]] const std::optional<core::clock_reading>& clock() const noexcept {
        return clock_;
    }
    void open();
    // Attaches the existing session again. Returns false if the session has ended.
    [[nodiscard]] bool resume();

    // Executes all operations in one transaction. An operation that fails its checks changes nothing and does not
    // prevent the other operations. If apply() throws, the database has executed no operation. Exception: if
    // commit_unknown() is true, the database may have executed all of them.
    [[nodiscard]] carried_out apply(operations all);
    enum class touch { no, yes };
    enum class watch_list { not_asked, asked };
    [[nodiscard]] heard hear(touch how, watch_list standing = watch_list::not_asked);
    [[nodiscard]] std::vector<queued_event> forget_watches(std::span<const std::string> paths);
    // Ends this session. If the result is `held`, other clients end the session later.
    close_outcome close();
    // Makes the session's row expire now. Another client deletes the row.
    void give_up();

    // Ends other sessions that have expired or whose process has ended, and begins with the sessions in `first`. Stops
    // after a fraction of the session timeout, so that this session can move its own deadline in time.
    ends_of_others end_others(const std::set<session_id>& first = {});
    // Returns true to only one of all clients in each interval `every`. That client must then call clean_containers().
    [[nodiscard]] bool has_turn_to_clean(std::chrono::microseconds every);
    // Removes the container znodes that had children and have none now.
    void clean_containers();
    // Repairs the tables after another program has deleted rows.
    repaired repair();

    // True if the last call failed because the connection broke during a commit.
    [[nodiscard]] bool commit_unknown() const noexcept { return committing_; }

private:
    using body = std::function<void()>;
    // Runs `work` in a transaction, and repeats it after a conflict. After the commit, runs `after`, which takes the
    // remaining answers.
    void transact(
        access how, const body& work, const body& after = [] {});

    [[nodiscard]] carried_out write(operations all);
    // Posts the changes of each request, and makes the request's reply. Returns the folders that this transaction must
    // also list.
    [[nodiscard]] std::vector<std::string> write_each(operations all, const touched_paths& touching,
                                                      std::span<const moment> moments,
                                                      carried_out& out);
    [[nodiscard]] carried_out read(operations all);
    // Returns false if a reply would show a znode of an ended session. The caller must then read again.
    [[nodiscard]] bool read_once(operations all, carried_out& out);
    void write_parts(local::preparation& checks, const core::operation& op, const moment& when,
                     core::reply& reply);
    void write_one(local::preparation& checks, const core::operation& op, const moment& when,
                   core::reply& reply);
    // Sends a query for this session's row. With access::write, the row stays locked until the transaction ends.
    [[nodiscard]] asked_statement ask_for_session(access how);
    // `node`: null if the znode does not exist. Adds to `owners` the sessions that own the znodes in the reply.
    [[nodiscard]] core::reply answer_of(const reading& asked, const stored_node* node,
                                        const news& found, std::set<session_id>& owners) const;
    [[nodiscard]] core::reply begin_listing(const core::children_op& list) const;
    void finish_listing(const news& found, const std::string& folder,
                        std::optional<core::reply>& list) const;
    // Returns false if this process knows that the process of one of the owners has ended.
    [[nodiscard]] bool all_live(const std::set<session_id>& owners) const;

    enum class end_if { due, gone, own, orphaned };
    bool end_session(session_id session, end_if why);
    [[nodiscard]] bool claim(session_id session, end_if why);

    database& db_;
    const store_settings settings_;
    stored_nodes nodes_;
    stored_session own_;
    std::optional<core::clock_reading> clock_;
    fetched_news news_;
    bool committing_ = false;
    int attempt_ = 0;  // number of the current transaction's attempt
};

}  // namespace turnstile::sql
