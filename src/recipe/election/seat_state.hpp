// SPDX-License-Identifier: Apache-2.0
// seat_state: the state of an election_seat. It has the present *turn* (one stay in the queue), the hold that was
// granted in this turn, the *term* (the time for which the participant leads with this hold), the pause after the term,
// and the changes that the listeners do not know yet.
//
// Each event returns effects. The seat executes them under no lock, because they call the client and the user's
// executor, which may block or call the seat.
//
// Thread safety: none. The seat's mutex guards this value.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/random.hpp"
#include "recipe/election/duty_thread.hpp"
#include "recipe/election/participation.hpp"
#include "recipe/election/term_in_progress.hpp"
#include "recipe/election/term_pause.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::detail {

struct leadership {
    guard hold;
    std::optional<std::stop_callback<std::function<void()>>> loss{};  // destroyed under no lock
};

struct seat_effects {
    std::vector<std::stop_source> to_trigger{};
    std::vector<std::shared_ptr<void>> to_release{};
    std::optional<course::turn> enters{};
    std::stop_token leaves{};  // has a stop request when the turn in `enters` must end
    std::optional<course::turn> calls{};
    std::optional<duty_thread> by{};
    std::optional<course::turn> returns{};  // ends a term without a function
    std::optional<course::turn> pauses{};
    boottime_clock::time_point until{};  // the end of the pause
    bool has_news = false;
};

class seat_state {
public:
    using turn = course::turn;

    // `once`: after one term as the leader, the participant does not queue again. `pause`: the time for which the
    // participant stays out of the queue after a term that it ended itself.
    seat_state(bool once, boottime_clock::duration pause, bool has_function)
        : has_function_{has_function}, now_{once}, pauses_{pause} {}

    // Starts a thread for the function, if there is a function and no executor. Throws the exceptions of duty_thread.
    [[nodiscard]] seat_effects start(const executor& run);
    struct ending {
        seat_effects effects;
        std::optional<duty_thread> thread;
        std::optional<turn> term;  // the term whose end `caller` may wait for
    };
    [[nodiscard]] ending close(const owner& caller);
    [[nodiscard]] seat_effects on(const course::input& event);
    // Stores the hold that was granted in the turn `of` (one stay in the queue). Returns nothing if this turn has
    // ended; then the caller must give the hold back.
    [[nodiscard]] std::optional<seat_effects> grant(turn of,
                                                    const std::shared_ptr<leadership>& held);

    // ---- functions for the task that leads ----
    // When a turn is granted the lead, a task begins. The task calls the next functions in this order, until a call
    // shows that the turn has ended.
    // begin_term() returns the hold that was granted in the turn `of`; null if this turn has ended.
    [[nodiscard]] std::shared_ptr<guard> begin_term(turn of, const owner& thread,
                                                    const std::stop_source& stop);
    [[nodiscard]] seat_effects decide(turn of, bool may_lead, const std::shared_ptr<guard>& lead);
    // Called when the user's function has returned or thrown. Returns the hold with which the function was called.
    [[nodiscard]] std::shared_ptr<guard> end_call(bool threw);
    void end_term(turn of) { term_.end(of); }

    // ---- queries about the state ----
    [[nodiscard]] bool leads() const { return now_.leads(); }
    [[nodiscard]] bool leads_in(turn which) const { return now_.is<course::leading>(which); }
    [[nodiscard]] bool rests() const { return now_.rests(); }
    [[nodiscard]] bool has_entered() const noexcept { return entered_; }
    [[nodiscard]] std::optional<error> failure() const { return now_.failure(); }
    [[nodiscard]] const term_in_progress& term() const noexcept { return term_; }
    // During a pause, pausing() returns the turn (stay in the queue) before the pause, and pause_end() the time at
    // which the pause ends.
    [[nodiscard]] std::optional<turn> pausing() const { return now_.pausing(); }
    [[nodiscard]] boottime_clock::time_point pause_end() const noexcept { return pause_end_; }
    // Removes the oldest change that the listeners do not know yet; at least one must exist. Returns true if the
    // participant began to lead with this change, and false if the participant ceased to lead.
    [[nodiscard]] bool take_news();

private:
    struct granted_hold {
        turn of = 0;
        std::shared_ptr<leadership> held{};
    };

    void add(seat_effects& effects, const course::enter_queue& next);
    void add(seat_effects& effects, const course::leave_queue& next);
    void add(seat_effects& effects, const course::call_function& next);
    void add(seat_effects& effects, const course::stop& next);
    void add(seat_effects& effects, const course::give_back_lead& next);
    void add(seat_effects& effects, const course::pause& next);

    bool has_function_;
    participation now_;
    bool entered_ = false;               // true: has entered the queue before
    std::optional<duty_thread> thread_;  // exists between start() and close()
    std::stop_source waiting_;           // ends the wait of the present turn
    granted_hold held_;
    term_in_progress term_;
    std::deque<bool> news_;  // the oldest first
    base::random chance_ = base::random::from_system();
    term_pause pauses_;
    bool threw_ = false;  // true if the latest call of the function threw
    boottime_clock::time_point pause_end_{};
};

}  // namespace turnstile::detail
