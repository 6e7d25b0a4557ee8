// SPDX-License-Identifier: Apache-2.0
// quorum: a value that holds a majority of independent locks, its *parts*. Its actions say which parts to request,
// which parts to give back, and what to report to the caller. next_deadline() says when to call on_time().
//
// RedLock has the same idea (S. Sanfilippo, "Distributed locks with Redis", 2014). Here each part excludes other
// contenders by itself, and reports the end of its validity. A hold is valid while floor(n/2) + 1 of all n parts are
// valid, whether or not the other parts answer. Two majorities always share a part, so only one hold is valid.
//
// | phase     | actions                                                                     |
// |-----------|-----------------------------------------------------------------------------|
// | acquiring | requests all parts at once, and waits in their queues. A held part blocks   |
// |           | other contenders. So the first grant starts an attempt; if it ends without a |
// |           | majority, the held parts are given back, and requested again after a pause   |
// | held      | a majority is certain. Lost parts are requested again; late grants are kept  |
// | over      | final: given up, failed, or the majority was lost                            |
//
// Contenders that each hold one part do not block each other for ever: each gives its parts up after a random time. The
// time is shorter for a contender that holds only parts with high numbers (draw_patience()).
//
// A contender that holds no part blocks no other contender, although it waits in the queues of the parts. So a part
// whose servers do not answer costs only its vote for the majority.
//
// Each `ask` gets one answer, on_granted or on_refused; after `withdraw` the answer comes soon. Before each event the
// caller passes the ends of the parts' leases (`confirm`).
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.hpp"
#include "core/lease/lease.hpp"

namespace turnstile::core {

struct quorum_settings {
    std::size_t parts = 3;
    duration attempt{};  // time for which a minority is kept; draw_patience() lengthens it
    // The length of the first pause before a lock (part) is requested again. The length doubles from pause to pause;
    // the actual pause is random, between half of the length and all of it.
    duration retry_first{};
    duration retry_longest{};  // the longest pause
    std::optional<time_point> deadline{};
    enum class mode { wait, once } mode = mode::wait;  // once: each part is only tried
};

class quorum {
public:
    // ---- actions: the user of this value executes them in the order in which it gets them ----
    struct ask {
        std::size_t part = 0;
        friend bool operator==(const ask&, const ask&) = default;
    };
    struct withdraw {
        std::size_t part = 0;
        friend bool operator==(const withdraw&, const withdraw&) = default;
    };
    struct give_back {
        std::size_t part = 0;
        friend bool operator==(const give_back&, const give_back&) = default;
    };
    struct tell_granted {
        friend bool operator==(const tell_granted&, const tell_granted&) = default;
    };
    // late: the deadline has passed. hopeless: so many requests were refused for good that no majority of the locks is
    // left. left: leave() was called.
    enum class failure { late, hopeless, left };
    struct tell_failed {
        failure why = failure::late;
        friend bool operator==(const tell_failed&, const tell_failed&) = default;
    };
    struct tell_lost {
        friend bool operator==(const tell_lost&, const tell_lost&) = default;
    };
    using action = std::variant<ask, withdraw, give_back, tell_granted, tell_failed, tell_lost>;

    enum class phase { idle, acquiring, held, over };
    enum class next { again, never };

    quorum(const quorum_settings& settings, base::random chance);

    // ---- events ----
    void start(time_point now);
    void on_granted(std::size_t part, time_point valid_until, time_point now);
    void on_refused(std::size_t part, next then, time_point now);
    void on_lost(std::size_t part, next then, time_point now);  // the part's hold has ended
    // Called when the client through which the call requests this lock (part) has closed. If the call is in the pause
    // before its next request for the lock, it never makes that request.
    void on_closed(std::size_t part, time_point now);
    void leave();
    void on_time(time_point now);
    // Sets the time until which the call's hold of a lock (part) is valid. Adds no actions.
    void confirm(std::size_t part, time_point valid_until);

    [[nodiscard]] std::vector<action> take() { return std::exchange(actions_, {}); }
    [[nodiscard]] std::optional<time_point> next_deadline() const;

    // ---- functions that only return information ----
    [[nodiscard]] phase now() const noexcept { return phase_; }
    [[nodiscard]] std::size_t majority() const noexcept { return parts_.size() / 2 + 1; }
    [[nodiscard]] bool holds(std::size_t part) const { return parts_[part].state == has::it; }
    [[nodiscard]] bool pauses(std::size_t part) const {
        return parts_[part].state == has::nothing &&
               (phase_ == phase::acquiring || phase_ == phase::held);
    }
    [[nodiscard]] bool certain(std::size_t part, time_point now) const {
        return holds(part) && now < parts_[part].valid_until;
    }
    // True if the call certainly holds a majority of the locks, and has held a majority without a gap since the grant.
    [[nodiscard]] bool certain(time_point now) const;
    // Returns the instant until which the call holds a majority of the locks, even if no lease is extended. Returns
    // time_point::min() if the call holds only a minority.
    [[nodiscard]] time_point valid_until() const;

private:
    enum class has { nothing, asked, withdrawn, it, busy, never };
    struct member {
        has state = has::nothing;
        time_point valid_until{};
        time_point ask_at{};
        int failures = 0;  // consecutive failures
        [[nodiscard]] bool awaits_answer() const noexcept {
            return state == has::asked || state == has::withdrawn;
        }
    };

    [[nodiscard]] std::size_t count(has state) const;
    [[nodiscard]] std::size_t count_certain(time_point now) const;
    [[nodiscard]] duration draw_pause(int failures);
    void ask_due(time_point now);
    [[nodiscard]] duration draw_patience();
    void end_attempt(time_point now);
    // Gives all locks (parts) back, and then reports the failure `why`, if there is one.
    void end(std::optional<failure> why);
    void give_all_back();

    quorum_settings settings_;
    base::random chance_;
    std::vector<member> parts_;
    std::vector<action> actions_;
    phase phase_ = phase::idle;
    int attempts_ = 0;                        // consecutive attempts that ended without a majority
    std::optional<time_point> attempt_ends_;  // set while a minority is held
};

}  // namespace turnstile::core
