// SPDX-License-Identifier: Apache-2.0
// course: what happens to a participant of an election, what it asks for, and the states between.
//
// Each stay in the queue is a *turn*, with a number of its own. `progress` is the state of one participant, with its
// turn and what is to be done next; which state follows which says participation.hpp.
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
    std::optional<error> why;  // it could not take part
};
struct seeking {};
struct called {};
struct deciding {};
struct leading {};
struct stepping_down {
    bool again = true;    // queues when the function has returned
    bool pauses = false;  // and a pause is over
};
struct pausing {};  // this participant's term has ended, and its pause runs
using state = std::variant<resting, seeking, called, deciding, leading, stepping_down, pausing>;

// ---- what happens ---------------------------------------------------------------------------
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
struct begun {  // the task that was handed over
    turn of = 0;
};
struct not_run {  // the executor threw it back
    turn of = 0;
};
struct decided {
    turn of = 0;
    bool leads = true;
};
struct returned {  // the task, with or without a call of the function
    turn of = 0;
};
struct rested {  // the pause is over
    turn of = 0;
};
using input = std::variant<started, closed, resigned, granted, refused, lost, begun, not_run,
                           decided, returned, rested>;

// ---- what is to be done ---------------------------------------------------------------------
struct enter {  // the queue
    turn of = 0;
};
struct leave {  // the queue; a grant that has come meanwhile is told nevertheless
    turn of = 0;
};
struct call {  // hand the function's task over
    turn of = 0;
};
struct stop {  // trigger the term's stop token
    turn of = 0;
};
struct give_back {  // what was granted; it may be lost already
    turn of = 0;
};
struct pause {  // say `rested` when it is over
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
    // What is to be done, in this order.
    [[nodiscard]] std::vector<action> take() { return std::exchange(to_do_, {}); }

    // A new turn, in the queue.
    void seek() {
        state_ = seeking{};
        do_next(enter{++turn_});
    }
    // Out of the queue; what was granted is given back.
    void rest() {
        state_ = resting{};
        do_next(give_back{turn_});
    }
    void step_down(const stepping_down& how) {
        state_ = how;
        do_next(stop{turn_});
    }
    // The next turn begins when the pause is over.
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
