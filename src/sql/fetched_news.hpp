// SPDX-License-Identifier: Apache-2.0
// fetched_news: fetches the rows of a session's events and deletes them after delivery. Also records the session's
// changes, to detect a database that was restored from older data.
//
// The last query of each transaction fetches the session's new events. After the commit, the session delivers the
// events, and a later write deletes their rows. If the answer to the transaction is lost, the next transaction fetches
// the same events again.
//
// Thread safety: one thread at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "sql/database.hpp"
#include "sql/rows.hpp"

namespace turnstile::sql {

struct queued_event {
    std::int64_t id = 0;
    core::watch_kind kind{};
    std::string path;
    // The session delivers the event before the reply to the request with this index in the batch.
    std::size_t ahead_of = 0;
};

struct news {
    std::vector<queued_event> events{};  // events that the session has not fetched before
    // next_end and children are set only if ask() requested them. next_end: the time until the earliest deadline of
    // another session. children: the children of each requested folder.
    std::optional<std::chrono::microseconds> next_end{};
    std::map<std::string, std::vector<child>> children{};
};

class fetched_news {
public:
    explicit fetched_news(database& db) : db_{db} {}

    // Forgets the data of the last transaction. Call this at the start of each transaction, also if the transaction is
    // repeated after a conflict.
    void begin() noexcept;
    // Records that the transaction has queued an event, which must be delivered before the reply with this index in the
    // batch.
    void fired(std::int64_t nonce, std::size_t ahead_of) { fired_.emplace(nonce, ahead_of); }
    // ask() sends the query for the session's events. `deadlines`: whether the query also asks for the earliest
    // deadline of another session. Call ask() after all reads of the transaction. Otherwise a read could show a change
    // whose event the query has missed.
    enum class ends { unasked, asked };
    void ask(session_id session, ends deadlines, std::span<const std::string> folders = {});
    [[nodiscard]] bool is_asked() const noexcept { return query_.has_value(); }
    [[nodiscard]] news take();
    // Deletes the rows of the events that this process has handled.
    void drop_fetched(session_id session);
    void committed();

    // Records `changes`, the counter in the session's row. It counts the session's requests to create or remove znodes,
    // including refused requests. Also forgets the znodes that other sessions have removed: these removals came before
    // this value of the counter, so a database that has this value has the removals, too.
    void count(std::int64_t changes);
    // Forgets the counter of changes and the removed znodes. Call this when a new session begins.
    void forget() noexcept {
        changes_ = 0;
        removed_.clear();
    }
    // Call this if the session owns a znode at the path: the object then forgets that another session had removed it.
    void exists(const std::string& path) { removed_.erase(path); }
    // True if the database contains older data than this session has seen: the counter in the session's row is smaller
    // than the recorded counter, or a znode exists although another session had removed it. `owned` returns the paths
    // of the session's znodes.
    template <class F>
    [[nodiscard]] bool is_older(std::int64_t changes, F owned) const {
        if (changes != changes_ || removed_.empty()) return changes < changes_;
        return std::ranges::any_of(
            owned(), [this](const std::string& path) { return removed_.contains(path); });
    }

private:
    database& db_;
    std::int64_t changes_ = 0;
    // The paths of this session's znodes that another session has removed since count() last recorded a larger counter.
    std::set<std::string> removed_;
    std::set<std::int64_t> delivered_;
    // The following members belong to the current transaction.
    std::optional<asked_statement> query_;
    std::map<std::int64_t, std::size_t> fired_;
    std::vector<std::int64_t> fetched_;
    std::vector<std::int64_t> dropped_;
};

}  // namespace turnstile::sql
