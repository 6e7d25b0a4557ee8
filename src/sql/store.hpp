// SPDX-License-Identifier: Apache-2.0
// store: one session's requests, each one transaction of a database.
//
// | what             | one transaction that                                                                     |
// |------------------|------------------------------------------------------------------------------------------|
// | open             | adds the session's row, its deadline by the database's clock                             |
// | resume           | counts a new attachment; requests of an older one do nothing from then on                |
// | a write          | moves the deadline, locks the paths, takes a number, checks, changes, queues events      |
// | a watched read   | keeps the session, locks the paths, reads, remembers the watch                           |
// | a read           | reads one snapshot                                                                       |
// | hear             | fetches the session's events; with `touch` moves the deadline                            |
// | end of a session | takes it out with its watches and ephemeral nodes, at one number                         |
//
// Each of them but the ends of others also fetches the events that are queued for this session. An event's row is
// removed by a later write: so an event whose transaction's answer was lost is fetched once more.
//
// Locks are taken in one order (session rows, paths, node rows), so transactions do not wait in a circle, and a
// database that finds one all the same says `retry`.
//
// Thread safety: one thread at a time. All members but the constructor throw database_error; `retry` is dealt
// with here as long as that makes sense.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "sql/database.hpp"
#include "sql/stored_nodes.hpp"

namespace turnstile::sql {

struct store_settings {
    std::chrono::milliseconds timeout{};
    local::identities client;
};

struct queued_event {
    std::int64_t id = 0;
    core::watch_kind kind{};
    std::string path;
};

struct carried_out {
    core::reply reply;                 // without what the connection adds
    std::vector<queued_event> events;  // that come before the reply
    bool expired = false;              // the session is over
    // A watched read: until the earliest deadline of another session, if there is one.
    std::optional<std::chrono::microseconds> next_end{};
};

struct heard {
    std::vector<queued_event> events;
    bool expired = false;
    // Until the earliest deadline of another session; none: there is no other session.
    std::optional<std::chrono::microseconds> next_end;
};

class store {
public:
    store(database& db, store_settings settings);

    [[nodiscard]] session_id id() const noexcept { return id_; }
    void open();
    // False: the session is over.
    [[nodiscard]] bool resume();

    [[nodiscard]] carried_out apply(const core::operation& op);
    enum class touch { no, yes };
    [[nodiscard]] heard hear(touch how);
    [[nodiscard]] std::vector<queued_event> forget_watches(const std::string& path);
    // Ends this session. False: a transaction of the user's own holds a node of it; others end it later.
    bool close();
    // The session's row goes on being due, so that others end it.
    void give_up();

    // Ends the other sessions that are due, or whose process has gone. False: some are due and held by a
    // transaction of the user's own.
    [[nodiscard]] bool end_others();
    // Removes emptied containers, if that was done `every` ago the last time.
    void clean_containers(std::chrono::microseconds every);

    // Whether the last call ended by losing the connection while a commit was under way.
    [[nodiscard]] bool commit_unknown() const noexcept { return committing_; }

private:
    using body = std::function<void()>;
    void transact(access how, const body& work);

    [[nodiscard]] carried_out write(const core::operation& op);
    [[nodiscard]] carried_out read(const core::operation& op);
    void read_once(const core::operation& op, carried_out& out, std::set<session_id>& owners);
    void write_parts(local::preparation& checks, const core::operation& op, const moment& when,
                     core::reply& reply);
    [[nodiscard]] std::optional<std::int64_t> touch_session();
    [[nodiscard]] bool keep_session(access how);
    [[nodiscard]] bool any_due();
    void fetch_events(std::vector<queued_event>& to);
    void drop_fetched();
    [[nodiscard]] std::optional<std::chrono::microseconds> until_next_end();

    enum class end_if { due, gone, own };
    bool end_session(session_id session, end_if why);
    [[nodiscard]] bool claim(session_id session, end_if why);

    database& db_;
    const store_settings settings_;
    stored_nodes nodes_;
    session_id id_ = 0;
    std::int64_t attachment_ = 0;
    bool committing_ = false;
    bool fetches_ = false;               // the transaction under way fetches events
    std::set<std::int64_t> delivered_;   // events that were fetched, and whose rows are still there
    std::vector<std::int64_t> fetched_;  // by the transaction under way
    std::vector<std::int64_t> dropped_;  // by the transaction under way
};

}  // namespace turnstile::sql
