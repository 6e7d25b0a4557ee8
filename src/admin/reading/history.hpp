// SPDX-License-Identifier: Apache-2.0
// history: which contender held which lock when, as two snapshots after each other tell it.
//
// A hold that begins and ends between two surveys is not seen, and what is seen is known to the time between two of them:
// a span begins when its contender was first seen to hold, or where it never was seen to wait, when its znode was
// created.
//
// Bounds: 200 spans that have ended of each lock, 50,000 of all; the oldest are forgotten first, and a lock with none.
// Those that last are as many as the snapshot has holders.
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

// How a hold ended, as far as the queues tell. Servers tell no other client of a session's end, so the session's other
// contenders have to: `unknown` becomes `released` with the first of them that is seen later.
enum class hold_end {
    released,  // its session went on: it had other contenders then, or has had since
    taken,     // by an order of this server, or by another operator's, which stood in its znode
    unknown,   // no contender of its session was seen since: it let go, or its session is over
};

[[nodiscard]] const char* to_string(hold_end end) noexcept;

struct hold_span {
    std::uint64_t number = 0;  // of those that have ended
    std::string znode;
    fencing_token token;
    std::int64_t session = 0;
    std::string host;
    std::string pid;
    std::string label;
    wall_time created{};
    wall_time from{};
    bool waited = false;   // it was seen to wait before: `from` is when it was granted
    bool ordered = false;  // an operator's order to give way was seen in its znode
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

    // The next survey, whose contenders were read.
    void add(const lock_survey& survey, wall_time as_of);
    // The hold of that znode will end, or has ended, by an order of this server.
    void note_taken(const lock_key& lock, const std::string& znode);

    // In the order of their beginning. Nothing for a lock that was never seen.
    [[nodiscard]] std::optional<std::vector<hold_span>> of(const lock_key& lock) const;
    // Since when the holder that holds longest does.
    [[nodiscard]] std::optional<wall_time> held_since(const lock_key& lock) const;
    [[nodiscard]] std::size_t ended() const noexcept { return ended_; }
    [[nodiscard]] std::size_t locks() const noexcept { return locks_.size(); }

    struct lock_spans {
        std::vector<hold_span> lasting;
        std::deque<hold_span> ended;
    };
    // Calls `visit` with each lock and its spans.
    template <class F>
    void for_each_lock(F&& visit) const {
        for (const auto& [lock, spans] : locks_) visit(lock, spans);
    }

private:
    using sessions = std::unordered_set<std::int64_t>;
    using znodes = std::unordered_set<std::size_t>;  // by the hashes of their paths

    void end_missing(const znodes& holding, const sessions& present, wall_time as_of);
    void end(const lock_key& key, lock_spans& spans, hold_span span, const sessions& present,
             wall_time as_of);
    void note_holders(const surveyed_lock& lock, wall_time as_of);
    void forget_oldest();

    limits bounds_{};
    std::map<lock_key, lock_spans> locks_;
    std::deque<std::pair<lock_key, std::uint64_t>> order_;  // of those that ended, the oldest first
    std::size_t ended_ = 0;
    std::uint64_t numbers_ = 0;
    znodes taken_;
    znodes waiting_;  // at the last survey
};

}  // namespace turnstile::admin
