// SPDX-License-Identifier: Apache-2.0
// The part of class `store` that ends sessions, repairs the tables and removes empty container znodes.
#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "local/znode_path.hpp"
#include "sql/store.hpp"

namespace turnstile::sql {

namespace {

// The longest time for which this session ends other sessions before it continues with its own requests.
constexpr std::chrono::milliseconds k_longest_turn{200};
constexpr int k_turn_part = 20;  // at most this fraction of the session timeout

}  // namespace

// Locks the row of the session that shall end. This is the transaction's first lock, and already the strong lock that
// the removal of the row needs. A watched read of an earlier attachment (connect of the session) takes a weak lock on
// the row, and then waits for the locks of its paths. Both transactions lock the row first, so they cannot deadlock on
// PostgreSQL. If a transaction has locked the row of another client's session, that session is in use, and this
// function returns false.
bool store::claim(session_id session, end_if why) {
    const phrases& words = db_.words();
    switch (why) {
        case end_if::own:
            return !db_.run("SELECT id FROM turnstile_sessions WHERE id = ?1 AND attachment = ?2" +
                                words.claim_own,
                            {session, own_.attachment})
                        .rows.empty();
        case end_if::orphaned:
            return !db_.run(
                           "SELECT id FROM turnstile_sessions WHERE id = ?1 AND attachment "
                           "BETWEEN ?2 AND ?3" +
                               words.claim_own,
                           {session, own_.attachment - k_most_attachments,
                            own_.attachment + k_most_attachments})
                        .rows.empty();
        case end_if::due:
            return !db_.run("SELECT id FROM turnstile_sessions WHERE id = ?1 AND deadline <= " +
                                words.now + words.claim_session,
                            {session})
                        .rows.empty();
        case end_if::gone:
            return db_.is_gone(session) &&
                   !db_.run("SELECT id FROM turnstile_sessions WHERE id = ?1" + words.claim_session,
                            {session})
                        .rows.empty();
    }
    return false;
}

// Removes the watches before the znodes, so that the session gets no event about its own end. The transaction holds the
// locks of the watched paths. So no other transaction queues a new event for the session after this transaction has
// removed the session's events.
bool store::end_session(session_id session, end_if why) {
    bool ended = false;
    transact(access::write, [&] {
        ended = claim(session, why);
        if (!ended) return;
        std::set<std::string> paths;
        for (std::string& path : nodes_.ephemerals_of(session)) {
            paths.insert(local::parent_of(path));
            paths.insert(std::move(path));
        }
        for (std::string& path : nodes_.watched_by(session)) paths.insert(std::move(path));
        const std::vector<std::string> all{paths.begin(), paths.end()};
        db_.lock(all, lock_mode::exclusive);
        db_.post("DELETE FROM turnstile_watches WHERE session = ?1", {session});
        const asked_statement wall = db_.ask("SELECT " + db_.words().wall);
        const asked_statement number = db_.ask_number();
        nodes_.look(all, {});
        const std::vector<std::string> owned = nodes_.ephemerals_of(session);
        nodes_.read_answers();
        const moment when{to_integer(db_.answer(number).rows.front().front()),
                          to_integer(db_.answer(wall).rows.front().front())};
        for (const std::string& path : owned) nodes_.remove(path, when);
        db_.post("DELETE FROM turnstile_events WHERE session = ?1", {session});
        db_.post("DELETE FROM turnstile_sessions WHERE id = ?1", {session});
    });
    return ended;
}

ends_of_others store::end_others(const std::set<session_id>& first) {
    std::vector<std::pair<session_id, bool>> others;  // the session, and whether it is due
    transact(access::read, [&] {
        others.clear();
        const std::string text = "SELECT id, CASE WHEN deadline <= " + db_.words().now +
                                 " THEN 1 ELSE 0 END FROM turnstile_sessions WHERE id <> ?1";
        for (const row& r : db_.run(text, {own_.id}).rows)
            others.emplace_back(to_integer(r[0]), to_integer(r[1]) == 1);
    });
    // Begins at a different session in each call, so that a session that cannot be ended does not use up the time of
    // every call.
    if (!others.empty()) {
        const auto begin = boottime_clock::now().time_since_epoch().count() % std::ssize(others);
        std::rotate(others.begin(), others.begin() + begin, others.end());
    }
    std::partition(others.begin(), others.end(),
                   [&first](const auto& each) { return first.contains(each.first); });
    auto outcome = ends_of_others::all;
    const auto until =
        boottime_clock::now() + std::min(k_longest_turn, settings_.timeout / k_turn_part);
    for (const auto& [session, due] : others) {
        if (boottime_clock::now() >= until) return ends_of_others::some_left;
        try {
            if (due) {
                static_cast<void>(end_session(session, end_if::due));
            } else if (db_.is_gone(session)) {
                static_cast<void>(end_session(session, end_if::gone));
            }
        } catch (const database_error& e) {
            if (e.kind() != failure::row_held) throw;
            outcome = ends_of_others::held;
        }
    }
    return outcome;
}

bool store::has_turn_to_clean(std::chrono::microseconds every) {
    bool mine = false;
    transact(access::write, [&] {
        const std::string& now = db_.words().now;
        mine = db_.run("UPDATE turnstile_meta SET value = " + now +
                           " WHERE name = 'cleaned' AND (value <= " + now + " - ?1 OR value > " +
                           now + ")",
                       {std::int64_t{every.count()}})
                   .affected == 1;
    });
    return mine;
}

void store::clean_containers() {
    std::vector<std::string> found;
    transact(access::read, [&] { found = nodes_.abandoned_containers(); });
    for (const std::string& path : found) {
        transact(access::write, [&] {
            const std::vector<std::string> paths{local::parent_of(path), path};
            db_.lock(paths, lock_mode::exclusive);
            nodes_.look(paths, {});
            nodes_.read_answers();
            const stored_node* const n = nodes_.found(path);
            if (n == nullptr || n->kind != local::tree_node_kind::container ||
                n->stat.num_children > 0 || n->creates == 0)
                return;
            nodes_.remove(path, {db_.next_number(), 0});
        });
    }
}

// Every live session has a row: open() commits the row before the session creates znodes, and the session's end removes
// the row and the znodes. If another program has deleted the row, the client may not know this yet, and relies on its
// locks for a session timeout after its last request. So repair() adds a row that expires after the timeout of the
// session that calls repair(). The row's attachment number is -1, which no client uses. If several clients call
// repair() at once, the later client finds an existing key and checks again.
repaired store::repair() {
    repaired out;
    const auto lasts = std::chrono::microseconds{settings_.timeout};
    transact(access::write, [&] {
        out.sessions = db_.run(
                              "INSERT INTO turnstile_sessions "
                              "(id, attachment, lasts, deadline, changes) SELECT owner, -1, ?1, " +
                                  db_.words().now +
                                  " + ?1, 0 FROM turnstile_nodes WHERE owner <> 0 AND NOT EXISTS "
                                  "(SELECT 1 FROM turnstile_sessions WHERE "
                                  "turnstile_sessions.id = turnstile_nodes.owner) "
                                  "GROUP BY owner ORDER BY owner",
                              {std::int64_t{lasts.count()}})
                           .affected;
        out.root = !nodes_.read("/");
        if (out.root) nodes_.make_root();
    });
    return out;
}

}  // namespace turnstile::sql
