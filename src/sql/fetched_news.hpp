// SPDX-License-Identifier: Apache-2.0
// fetched_news: the events of a session, from their rows in the database until the rows are deleted; and the changes of
// the session that the database has reported, which reveal a database that continues from older data.
//
// Each transaction of the session fetches the news with its last query. After the commit, the session delivers the
// events, and a later write deletes their rows. If the answer is lost, the next transaction fetches the same events.
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
    std::size_t ahead_of = 0;  // index in the batch of the reply that comes after the event
};

struct news {
    std::vector<queued_event> events{};  // events that the session has not fetched before
    // If asked, the earliest deadline of another session, and the children of folders.
    std::optional<std::chrono::microseconds> next_end{};
    std::map<std::string, std::vector<child>> children{};
};

class fetched_news {
public:
    explicit fetched_news(database& db) : db_{db} {}

    // Begins a transaction, or its repetition.
    void begin() noexcept;
    // The transaction has queued an event before the reply with this index in the batch.
    void fired(std::int64_t nonce, std::size_t ahead_of) { fired_.emplace(nonce, ahead_of); }
    // Asks for the news of the session. Call this after all reads of the transaction, so that an event is delivered
    // before the reply that shows the event's effect.
    enum class ends { unasked, asked };
    void ask(session_id session, ends deadlines, std::span<const std::string> folders = {});
    [[nodiscard]] bool is_asked() const noexcept { return query_.has_value(); }
    [[nodiscard]] news take();
    // Deletes the rows of the events that this process has handled.
    void drop_fetched(session_id session);
    void committed();

    // The number of this session's requests that create or remove znodes, with refused requests, in the session's row.
    // A removal by another session cannot be lost any more if the database still knows a later change of this session.
    void count(std::int64_t changes);
    // Forgets the changes: a new session begins.
    void forget() noexcept {
        changes_ = 0;
        removed_.clear();
    }
    // The session owns a znode at the path.
    void exists(const std::string& path) { removed_.erase(path); }
    // True if a row with this number is older: the number is smaller, or a znode exists again that others had removed.
    // `owned` returns the paths of the session's znodes.
    template <class F>
    [[nodiscard]] bool is_older(std::int64_t changes, F owned) const {
        if (changes != changes_ || removed_.empty()) return changes < changes_;
        return std::ranges::any_of(
            owned(), [this](const std::string& path) { return removed_.contains(path); });
    }

private:
    database& db_;
    std::int64_t changes_ = 0;
    // The paths of this session's znodes that another session has removed since the latest counted request.
    std::set<std::string> removed_;
    // The nonces of the events that the session has fetched and whose rows still exist.
    std::set<std::int64_t> delivered_;
    // These members are for the current transaction.
    std::optional<asked_statement> query_;
    std::map<std::int64_t, std::size_t> fired_;
    std::vector<std::int64_t> fetched_;
    std::vector<std::int64_t> dropped_;
};

}  // namespace turnstile::sql
