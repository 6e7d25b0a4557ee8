// SPDX-License-Identifier: Apache-2.0
// course: the events of a participant in an election, the actions that it asks for, and the states between.
//
// Each stay in the queue is a *turn* with a number. `progress` is the state of one participant, with its turn and its
// next actions; participation.hpp decides which state follows which.
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
    std::optional<error> why;  // why it failed to take part
};
struct seeking {};
struct called {};
struct deciding {};
struct leading {};
struct stepping_down {
    bool again = true;    // queues after the function's return
    bool pauses = false;  // and after a pause
};
struct pausing {};  // the participant ended its own term, and pauses
using state = std::variant<resting, seeking, called, deciding, leading, stepping_down, pausing>;

// ---- events ---------------------------------------------------------------------------------
struct started {};
struct closed {};
struct resigned {};
struct granted {
    turn of = 0;
};
struct refused {
    turn of = 0;
    error why{errc::closed};
};
struct lost {
    turn of = 0;
};
struct begun {  // the task begins
    turn of = 0;
};
struct not_run {  // the executor refused the task
    turn of = 0;
};
struct decided {
    turn of = 0;
    bool leads = true;
};
struct returned {  // the task's end, with or without a call of the function
    turn of = 0;
};
struct rested {  // the pause has ended
    turn of = 0;
};
using input = std::variant<started, closed, resigned, granted, refused, lost, begun, not_run,
                           decided, returned, rested>;

// ---- actions --------------------------------------------------------------------------------
struct enter {  // the queue
    turn of = 0;
};
struct leave {  // the queue; a grant that has come meanwhile is reported nevertheless
    turn of = 0;
};
struct call {  // hand the function's task over
    turn of = 0;
};
struct stop {  // trigger the term's stop token
    turn of = 0;
};
struct give_back {  // the granted hold, which may be lost already
    turn of = 0;
};
struct pause {  // send `rested` at its end
    turn of = 0;
};
using action = std::variant<enter, leave, call, stop, give_back, pause>;

// ---- one participant ------------------------------------------------------------------------

class progress {
public:
    explicit progress(bool once) : once_{once} {}

    [[nodiscard]] const state& now() const noexcept { return state_; }
    [[nodiscard]] turn present() const noexcept { return turn_; }
    [[nodiscard]] bool enters_after_its_term() const noexcept { return !once_; }

    void go_to(state next) { state_ = std::move(next); }
    void do_next(const action& next) { to_do_.push_back(next); }
    // The actions, to be done in this order.
    [[nodiscard]] std::vector<action> take() { return std::exchange(to_do_, {}); }

    // Begins a new turn, in the queue.
    void seek() {
        state_ = seeking{};
        do_next(enter{++turn_});
    }
    // Leaves the queue; a granted hold is given back.
    void rest() {
        state_ = resting{};
        do_next(give_back{turn_});
    }
    void step_down(const stepping_down& how) {
        state_ = how;
        do_next(stop{turn_});
    }
    // The next turn begins after the pause.
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
