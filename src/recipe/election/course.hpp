// SPDX-License-Identifier: Apache-2.0
// course: the states of a participant in an election, the events that change them, and the actions that follow.
//
// Each stay in the queue is a *turn* with a number. `progress` has the state of one participant, its present turn and
// its next actions. participation.hpp decides which state follows.
//
// Thread safety: none, values.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "turnstile/error.hpp"

namespace turnstile::detail::course {

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

}  // namespace turnstile::detail::course
