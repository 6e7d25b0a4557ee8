// SPDX-License-Identifier: Apache-2.0
// store: one session's requests, in transactions of a database. Requests that wait together share one
// (request_batch.hpp).
//
// | what             | one transaction that                                                                     |
// |------------------|------------------------------------------------------------------------------------------|
// | open             | adds the session's row, its deadline by the database's clock                             |
// | resume           | counts a new attachment; requests of an older one do nothing from then on, and a session |
// |                  | of which the database knows fewer changes than its client was told of is over, one of    |
// |                  | which a node stands that it was told others removed, and one whose number has a row with |
// |                  | other attachments                                                                        |
// | writes           | moves the deadline, locks the paths, takes a number for each, checks, changes, queues    |
// |                  | events; counts itself if it makes or removes nodes; brings lists of their folders along  |
// | watched reads    | keeps the session, locks the paths, reads, remembers the watches                         |
// | reads            | reads one snapshot                                                                       |
// | hear             | fetches the session's events; with `touch` moves the deadline                            |
// | end of a session | takes it out with its watches and ephemeral nodes, at one number                         |
// | repair           | gives nodes whose owner has no row one that will be due; makes the root where it is gone |
//
// Each of them but the ends of others also fetches the events that are queued for this session. An event's row is
// removed by a later write: so an event whose transaction's answer was lost is fetched once more.
//
// Locks are taken in one order (session rows, paths, node rows), so transactions do not wait in a cycle, and a
// database that finds one all the same says `retry`.
//
// Thread safety: one thread at a time. All members but the constructor throw database_error; `retry` is dealt
// with here as long as that makes sense.
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

struct queued_event {
    std::int64_t id = 0;
    core::watch_kind kind{};
    std::string path;
    std::size_t ahead_of = 0;  // the reply of this request of the batch, or the first one
};

// Requests of one batch (request_batch.hpp), in the order of submission.
using operations = std::span<const core::operation* const>;

struct carried_out {
    std::vector<queued_event> events;
    // One for each request, without what the connection adds. None: a list that is to be asked for by itself.
    std::vector<std::optional<core::reply>> replies;
    bool expired = false;  // the session is over
    // Watched reads: until the earliest deadline of another session, if there is one.
    std::optional<std::chrono::microseconds> next_end{};
};

struct heard {
    std::vector<queued_event> events;
    bool expired = false;
    // Until the earliest deadline of another session; none: there is no other session.
    std::optional<std::chrono::microseconds> next_end;
    local::client_watch_list watches{};  // that the database has, if that was asked
};

// What others than this library had deleted from the tables.
struct repaired {
    std::int64_t sessions =
        0;  // whose nodes stood without their rows: they have rows again, and will be due
    bool root = false;  // the nodes that every tree has: they are there again
};

class store {
public:
    store(database& db, store_settings settings);

    [[nodiscard]] session_id id() const noexcept { return id_; }
    // The database's wall clock when the session was opened.
    [[nodiscard]] const std::optional<core::clock_reading>& clock() const noexcept {
        return clock_;
    }
    void open();
    // False: the session is over.
    [[nodiscard]] bool resume();

    // All of them in one transaction. A request that the tables refuse changes nothing, and the others go on. Where this
    // throws, none of them was carried out, or commit_unknown().
    [[nodiscard]] carried_out apply(operations all);
    enum class touch { no, yes };
    enum class watch_list { not_asked, asked };
    [[nodiscard]] heard hear(touch how, watch_list standing = watch_list::not_asked);
    [[nodiscard]] std::vector<queued_event> forget_watches(std::span<const std::string> paths);
    // Ends this session. False: a transaction of the user's own holds a node of it; others end it later.
    bool close();
    // The session's row goes on being due, so that others end it.
    void give_up();

    // Ends the other sessions that are due, or whose process has gone. False: some are due and held by a
    // transaction of the user's own.
    [[nodiscard]] bool end_others();
    // Of all clients one, once in `every`: it is this session's turn to clean up.
    [[nodiscard]] bool has_turn_to_clean(std::chrono::microseconds every);
    // Removes emptied containers.
    void clean_containers();
    // Makes good what was deleted by hand.
    repaired repair();

    // Whether the last call ended by losing the connection while a commit was under way.
    [[nodiscard]] bool commit_unknown() const noexcept { return committing_; }

private:
    using body = std::function<void()>;
    // `after` takes the answers that nothing in the transaction waited for.
    void transact(
        access how, const body& work, const body& after = [] {});

    [[nodiscard]] carried_out write(operations all);
    // Of each request: what it changes, posted, and its reply. Returns the folders whose lists go along.
    [[nodiscard]] std::vector<std::string> write_each(operations all, const touched_paths& touching,
                                                      std::span<const moment> moments,
                                                      carried_out& out);
    [[nodiscard]] carried_out read(operations all);
    // What was looked at; false: look once more, since it shows what is held no more.
    [[nodiscard]] bool read_once(operations all, carried_out& out);
    void write_parts(local::preparation& checks, const core::operation& op, const moment& when,
                     core::reply& reply);
    void write_one(local::preparation& checks, const core::operation& op, const moment& when,
                   core::reply& reply);
    // With access::write the session's row stays until the transaction ends.
    [[nodiscard]] asked_statement ask_for_session(access how);
    // What a transaction asks for last: the session's events and changes, and if it wants to know them the earliest
    // deadline of another session and the children of a folder.
    struct news {
        std::vector<queued_event> events;  // that were not fetched before
        std::optional<std::chrono::microseconds> next_end{};
        std::map<std::string, std::vector<child>> children{};  // by the folder
    };
    // `node`: null if there is none. Adds to `owners` the sessions whose nodes the reply shows.
    [[nodiscard]] core::reply answer_of(const reading& asked, const stored_node* node,
                                        const news& found, std::set<session_id>& owners) const;
    enum class ends { unasked, asked };
    void ask_for_news(ends deadlines, std::span<const std::string> folders = {});
    [[nodiscard]] news take_news();
    void drop_fetched();
    // As the database tells it.
    void count(std::int64_t changes);
    // A node that others had removed: the removal is forgotten.
    [[nodiscard]] bool one_stands_again();
    [[nodiscard]] core::reply begin_listing(const core::children_op& list) const;
    void finish_listing(const news& found, const std::string& folder,
                        std::optional<core::reply>& list) const;
    // Whether all of them still live, as far as this process can tell.
    [[nodiscard]] bool all_live(const std::set<session_id>& owners) const;

    enum class end_if { due, gone, own };
    bool end_session(session_id session, end_if why);
    [[nodiscard]] bool claim(session_id session, end_if why);

    database& db_;
    const store_settings settings_;
    stored_nodes nodes_;
    session_id id_ = 0;
    std::optional<core::clock_reading> clock_;
    std::int64_t attachment_ = 0;
    // As the database told it last: requests of the session that make or remove nodes, also those that were refused.
    std::int64_t changes_ = 0;
    // Paths of own nodes whose removal by another session was told after the latest of these requests.
    std::set<std::string> removed_;
    bool committing_ = false;
    int attempt_ = 0;                      // of the transaction under way
    std::optional<asked_statement> news_;  // that the transaction under way asked for
    // Nonces of events: that were fetched, and whose rows are still there.
    std::set<std::int64_t> delivered_;
    std::map<std::int64_t, std::size_t> fired_;  // of the transaction under way: by which request
    std::vector<std::int64_t> fetched_;          // by the transaction under way
    std::vector<std::int64_t> dropped_;          // by the transaction under way
};

}  // namespace turnstile::sql
