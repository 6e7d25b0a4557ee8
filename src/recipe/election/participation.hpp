// SPDX-License-Identifier: Apache-2.0
// participation: the state of a participant of an election, and its next actions. This value uses no thread, clock or
// server. The library uses it in seat_state.hpp, and the simulator in tests/verification/work/election_work.cpp. A
// participant without a function behaves as if it had a function that returns as soon as its term must end.
//
// | state         | in the queue    | the function                  | next state: the event that causes it   |
// |---------------|-----------------|-------------------------------|----------------------------------------|
// | resting       | not             | does not run                  | seeking: started                       |
// | seeking       | waits           | does not run                  | called: granted;                       |
// |               |                 |                               | resting: closed, refused for good      |
// | called        | holds           | handed over, has not begun    | deciding: begun; seeking: lost;        |
// |               |                 |                               | resting: closed, not_run               |
// | deciding      | holds           | about to be called or skipped | leading or stepping_down: decided;     |
// |               |                 |                               | stepping_down: lost, closed;           |
// |               |                 |                               | seeking: returned                      |
// | leading       | holds           | runs                          | stepping_down: resigned, lost, closed; |
// |               |                 |                               | pausing or resting: returned           |
// | stepping_down | holds or has    | is to return                  | pausing, seeking or resting: returned  |
// |               | lost it         |                               |                                        |
// | pausing       | not             | does not run                  | seeking: rested; resting: closed       |
//
// A *turn* is one stay in the queue. An event of an earlier turn changes nothing, and a grant for an earlier turn is
// given back. No turn begins before the function of the previous turn has returned. So a granted participant always has
// a function that runs or will run.
//
// A pause follows a term that the participant ended itself (its function returned or threw, or it resigned); with
// `once` the participant rests instead. A participant that lost the lead, or stepped aside for a named participant,
// queues at once; with `once` it rests if its function had been called.
//
//     progress   the state of a participant, with the data of that state
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "turnstile/error.hpp"

namespace turnstile::detail {

// The states of a participant in an election, the events that change them, and the actions that follow.
//
// Each stay in the queue is a *turn* with a number. `progress` has the state of one participant, its present turn and
// its next actions.
namespace course {

using turn = std::uint64_t;

// ---- states ---------------------------------------------------------------------------------
struct resting {
    std::optional<error> why;  // the error with which it failed to take part
};
struct seeking {};
struct called {};
struct deciding {};
struct leading {};
struct stepping_down {
    bool again = true;    // true: queues again after the function's return
    bool pauses = false;  // true: pauses before it queues again
};
struct pausing {};  // pauses after a term that the participant ended itself
using state = std::variant<resting, seeking, called, deciding, leading, stepping_down, pausing>;

// ---- events ---------------------------------------------------------------------------------
struct started {};
struct closed {};
struct resigned {};
struct turn_granted {
    turn of = 0;
};
struct turn_refused {
    turn of = 0;
    error why{errc::closed};
};
struct turn_lost {
    turn of = 0;
};
struct begun {  // the function's task has begun
    turn of = 0;
};
struct not_run {  // the executor refused the function's task
    turn of = 0;
};
struct decided {
    turn of = 0;
    bool leads = true;
};
struct returned {  // the task has ended, even if it did not call the function
    turn of = 0;
};
struct rested {  // the pause has ended
    turn of = 0;
};
using input = std::variant<started, closed, resigned, turn_granted, turn_refused, turn_lost, begun,
                           not_run, decided, returned, rested>;

// ---- actions --------------------------------------------------------------------------------
struct enter_queue {  // enter the queue
    turn of = 0;
};
struct leave_queue {  // leave the queue; a grant that came meanwhile is reported nevertheless
    turn of = 0;
};
struct call_function {  // pass the function's task to its thread
    turn of = 0;
};
struct stop {  // trigger the term's stop token
    turn of = 0;
};
struct give_back_lead {  // give back the granted hold, which may be lost already
    turn of = 0;
};
struct pause {  // send the event `rested` after the pause
    turn of = 0;
};
using action = std::variant<enter_queue, leave_queue, call_function, stop, give_back_lead, pause>;

// ---- the state of one participant -------------------------------------------------------------

class progress {
public:
    explicit progress(bool once) : once_{once} {}

    [[nodiscard]] const state& now() const noexcept { return state_; }
    [[nodiscard]] turn present() const noexcept { return turn_; }
    [[nodiscard]] bool enters_after_its_term() const noexcept { return !once_; }

    void go_to(state next) { state_ = std::move(next); }
    void do_next(const action& next) { to_do_.push_back(next); }
    // Returns the actions in the order in which they must be executed.
    [[nodiscard]] std::vector<action> take() { return std::exchange(to_do_, {}); }

    void seek() {
        state_ = seeking{};
        do_next(enter_queue{++turn_});
    }
    // Ends the present turn (one stay in the queue): requests that the hold of this turn is given back.
    void rest() {
        state_ = resting{};
        do_next(give_back_lead{turn_});
    }
    void step_down(const stepping_down& how) {
        state_ = how;
        do_next(stop{turn_});
    }
    void wait_out() {
        state_ = pausing{};
        do_next(pause{turn_});
    }

private:
    bool once_;
    state state_;
    turn turn_ = 0;
    std::vector<action> to_do_;
};

}  // namespace course

class participation {
public:
    // `once`: after one term as the leader, the participant does not queue again.
    explicit participation(bool once) : progress_{once} {}

    // Changes the state after this event. Returns the actions in the order in which they must be executed.
    [[nodiscard]] std::vector<course::action> on(const course::input& event);

    // True if `which` is the participant's present turn (stay in the queue), and the participant is in this state.
    template <class State>
    [[nodiscard]] bool is(course::turn which) const {
        return which == progress_.present() && std::holds_alternative<State>(progress_.now());
    }
    // Returns the turn (stay in the queue) for which a task decides whether the participant leads, or calls the user's
    // function; nothing if no task is running.
    [[nodiscard]] std::optional<course::turn> running() const;
    [[nodiscard]] bool leads() const {
        return std::holds_alternative<course::leading>(progress_.now());
    }
    [[nodiscard]] bool rests() const {
        return std::holds_alternative<course::resting>(progress_.now());
    }
    // During a pause, returns the turn (stay in the queue) before the pause.
    [[nodiscard]] std::optional<course::turn> pausing() const;
    // If the participant does not queue again because of an error, returns this error.
    [[nodiscard]] std::optional<error> failure() const;

private:
    course::progress progress_;
};

}  // namespace turnstile::detail
