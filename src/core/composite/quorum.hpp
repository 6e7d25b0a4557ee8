// SPDX-License-Identifier: Apache-2.0
// quorum: a hold on a majority of independent locks, as a value: what to ask for, what to give back, what
// to tell, and when to come back.
//
// The idea is RedLock's (S. Sanfilippo, "Distributed locks with Redis", 2014), on parts of which each
// excludes by itself and says until when. A hold is valid at an instant if so many of its parts are, that
// two holds would share one: floor(n/2) + 1 of the n that there are, whether or not they answer.
//
// | phase     | what it does                                                                |
// |-----------|-----------------------------------------------------------------------------|
// | acquiring | asks all parts at once, and waits in their queues. A holder of a part       |
// |           | blocks others: from the first grant on an attempt runs; when it ends without |
// |           | a majority, what is held is given back, and asked for again after a pause    |
// | held      | a majority is certain. What is lost is asked for again, what comes late kept |
// | over      | given up, failed, or no majority any more: for good                         |
//
// Contenders that hold one part each do not go on so for ever: a contender that holds only later parts gives them up
// four times sooner for each part further back, and all times are drawn at random.
//
// A part that stays queued while nothing is held blocks no other, so a part that does not answer costs
// nothing but its vote.
//
// Each `ask` has one answer, on_granted or on_refused, also after `withdraw`, which asks for an early one.
// Before each event the parts' leases are told (`confirm`). Thread safety: a value; one thread at a time.
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
    duration attempt{};        // a minority is kept for so long, see `patience`
    duration retry_first{};    // pauses: drawn from half of it to all of it, doubling
    duration retry_longest{};  // to this
    std::optional<time_point> deadline{};
    enum class mode { wait, once } mode = mode::wait;  // once: the parts only try
};

class quorum {
public:
    // ---- what to do, in this order ----
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
    // Late: the deadline. Hopeless: so many parts refused for good that no majority is left. Left: leave().
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
    // Whether it is worth while to ask a part again.
    enum class next { again, never };

    quorum(const quorum_settings& settings, base::random chance);

    // ---- what happens ----
    void start(time_point now);
    void on_granted(std::size_t part, time_point valid_until, time_point now);
    void on_refused(std::size_t part, next then, time_point now);
    void on_lost(std::size_t part, next then, time_point now);  // granted, and over
    void on_closed(std::size_t part, time_point now);           // ends its pause for good
    void leave();
    void on_time(time_point now);
    // Until when a part that is held says that it is certain; no event.
    void confirm(std::size_t part, time_point valid_until);

    [[nodiscard]] std::vector<action> take() { return std::exchange(actions_, {}); }
    [[nodiscard]] std::optional<time_point> next_deadline() const;

    // ---- questions ----
    [[nodiscard]] phase now() const noexcept { return phase_; }
    [[nodiscard]] std::size_t majority() const noexcept { return parts_.size() / 2 + 1; }
    [[nodiscard]] bool holds(std::size_t part) const { return parts_[part].state == has::it; }
    // It is to be asked, but not yet.
    [[nodiscard]] bool pauses(std::size_t part) const {
        return parts_[part].state == has::nothing &&
               (phase_ == phase::acquiring || phase_ == phase::held);
    }
    // Its lease has not ended.
    [[nodiscard]] bool certain(std::size_t part, time_point now) const {
        return holds(part) && now < parts_[part].valid_until;
    }
    // A majority of them is certain, and has been without a gap since the grant.
    [[nodiscard]] bool certain(time_point now) const;
    // Until when a majority is certain if nothing is confirmed any more; time_point::min() for a minority.
    [[nodiscard]] time_point valid_until() const;

private:
    enum class has { nothing, asked, withdrawn, it, busy, never };
    struct member {
        has state = has::nothing;
        time_point valid_until{};
        time_point ask_at{};
        int failures = 0;  // in a row
        [[nodiscard]] bool awaits_answer() const noexcept {
            return state == has::asked || state == has::withdrawn;
        }
    };

    [[nodiscard]] std::size_t count(has state) const;
    [[nodiscard]] std::size_t count_certain(time_point now) const;
    [[nodiscard]] duration draw_pause(int failures);
    void ask_due(time_point now);
    void settle(time_point now);
    [[nodiscard]] duration draw_patience();
    void go_on_until(time_point end);
    void end_attempt(time_point now);
    void end(action how);
    void give_all_back();
    void withdraw_all();

    quorum_settings settings_;
    base::random chance_;
    std::vector<member> parts_;
    std::vector<action> actions_;
    phase phase_ = phase::idle;
    int attempts_ = 0;                        // that ended without a majority, in a row
    std::optional<time_point> attempt_ends_;  // while a minority is held
};

}  // namespace turnstile::core
