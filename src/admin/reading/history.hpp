// SPDX-License-Identifier: Apache-2.0
// history: compares successive snapshots, and records which contender held which lock and when.
//
// A span is the recorded time of one hold. The history misses a hold that begins and ends between two surveys. Times
// are only as exact as the interval between surveys. A span begins when the contender was first seen as the holder. If
// the contender was never seen as a waiter, the span begins when the contender's znode was created.
//
// Limits: 200 ended spans per lock, 50,000 in total. The history drops the oldest spans first, and then locks without
// spans. There are as many running spans as holders in the snapshot.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "admin/reading/snapshot.hpp"

namespace turnstile::admin {

// The cause of a hold's end, derived from the queues alone: servers do not report the end of a session to other
// clients. If a read of all locks (a survey) shows another contender of the holder's session, the session was alive, so
// the holder has released the lock. If a later survey shows such a contender, `unknown` becomes `released`.
enum class hold_end {
    released,  // its session was alive: another of its contenders was seen then or later
    taken,     // an order ended it: from this server, or from another operator in its znode
    unknown,   // no contender of its session was seen later: a release or a lost session
};

[[nodiscard]] const char* to_string(hold_end end) noexcept;

struct hold_span {
    std::uint64_t number = 0;  // counts ended spans
    std::string znode;
    fencing_token token;
    std::int64_t session = 0;
    std::string host;
    std::string pid;
    std::string label;
    wall_time created{};
    wall_time from{};
    bool waited = false;   // seen as a waiter before: `from` is the time of the grant
    bool ordered = false;  // an operator's order was seen in its znode
    std::optional<wall_time> to{};
    std::optional<hold_end> end{};
};

using lock_key = std::pair<std::string, lock_kind>;

class history {
public:
    struct limits {
        std::size_t of_each = 200;
        std::size_t of_all = 50'000;
    };
    history() = default;
    explicit history(limits bounds) : bounds_{bounds} {}

    // Adds the result of the next read of all locks, which must include the contenders. `as_of`: the time of the read.
    void add(const lock_survey& survey, wall_time as_of);
    // Records that this admin server takes the lock away: it has deleted the holder's znode, or will delete it.
    void note_taken(const lock_key& lock, const std::string& znode);

    // Returns the spans of the lock's holds, sorted by their beginnings; nothing if no hold of the lock is recorded.
    [[nodiscard]] std::optional<std::vector<hold_span>> of(const lock_key& lock) const;
    // Returns since when the oldest present holder has held the lock.
    [[nodiscard]] std::optional<wall_time> held_since(const lock_key& lock) const;
    [[nodiscard]] std::size_t ended() const noexcept { return ended_; }
    [[nodiscard]] std::size_t locks() const noexcept { return locks_.size(); }

    struct lock_spans {
        std::vector<hold_span> lasting;
        std::deque<hold_span> ended;
    };
    template <class F>
    void for_each_lock(F&& visit) const {
        for (const auto& [lock, spans] : locks_) visit(lock, spans);
    }

private:
    using sessions = std::unordered_set<std::int64_t>;
    using znodes = std::unordered_set<std::size_t>;  // hashes of paths

    void end_missing(const znodes& holding, const sessions& present, wall_time as_of);
    void end(const lock_key& key, lock_spans& spans, hold_span span, const sessions& present,
             wall_time as_of);
    void note_holders(const surveyed_lock& lock, wall_time as_of);
    void forget_oldest();

    limits bounds_{};
    std::map<lock_key, lock_spans> locks_;
    std::deque<std::pair<lock_key, std::uint64_t>> order_;  // locks, by their oldest ended span
    std::size_t ended_ = 0;
    std::uint64_t numbers_ = 0;
    znodes taken_;
    znodes waiting_;  // the waiters of the last survey
};

}  // namespace turnstile::admin
