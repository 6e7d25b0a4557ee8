// SPDX-License-Identifier: Apache-2.0
// participation: what one participant of an election with a function is in the middle of, and what it does
// next. A value: it calls nothing outside, and has no thread, clock or server. The class that ships asks it under
// its lock; the simulator plays it (src/verification/work/election_work.cpp).
//
// | state         | in the queue    | the function                  | goes on to                             |
// |---------------|-----------------|-------------------------------|----------------------------------------|
// | resting       | not             | does not run                  | seeking: started                       |
// | seeking       | waits           | does not run                  | called: granted; resting               |
// | called        | holds           | handed over, has not begun    | deciding: begun; seeking: lost         |
// | deciding      | holds           | about to be called, or not to | leading; stepping_down                 |
// | leading       | holds           | runs                          | stepping_down: resigned, lost, closed  |
// | stepping_down | holds or has    | is to return                  | seeking or resting: returned           |
// |               | lost it         |                               |                                        |
//
// Each stay in the queue is a *turn*, with a number of its own. What belongs to an earlier turn changes
// nothing, and a grant that comes for one is given back. While the function of a turn has not returned no
// other turn begins: so a grant always has a function that runs or is about to.
//
// Where a term ends: only when the function has run to its end does `after_term_policy` decide. A participant
// that stepped aside for a named one, or lost the lead before its function was called, queues again.
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "turnstile/error.hpp"
#include "turnstile/leader_election.hpp"

namespace turnstile::detail {

// A hold that was granted and over before it could be used: a further attempt may do better.
[[nodiscard]] inline bool is_worth_another_attempt(const error& why) {
    return why == errc::session_lost || why == errc::removed;
}

class participation {
public:
    using turn = std::uint64_t;

    // ---- states ----------------------------------------------------------------------------
    struct resting {
        std::optional<error> why;  // it could not take part
    };
    struct seeking {};
    struct called {};
    struct deciding {};
    struct leading {};
    struct stepping_down {
        bool again = true;  // queues when the function has returned
    };
    using state = std::variant<resting, seeking, called, deciding, leading, stepping_down>;

    // ---- what happens ----------------------------------------------------------------------
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
    using input = std::variant<started, closed, resigned, granted, refused, lost, begun, not_run,
                               decided, returned>;

    // ---- what is to be done ----------------------------------------------------------------
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
    using action = std::variant<enter, leave, call, stop, give_back>;

    explicit participation(after_term_policy then) : then_{then} {}

    // What is to be done now, in this order.
    [[nodiscard]] std::vector<action> on(const input& event);

    // Whether this turn is the present one, and in this state.
    template <class State>
    [[nodiscard]] bool is(turn which) const {
        return which == turn_ && std::holds_alternative<State>(state_);
    }
    // The turn whose task has begun and has not returned.
    [[nodiscard]] std::optional<turn> running() const;
    [[nodiscard]] std::optional<error> failure() const;

private:
    template <class State, class Input>
    void meet(const State&, const Input&) {}  // changes nothing
    template <class State>
    void meet(const State&, const granted& grant) {
        do_next(give_back{grant.of});  // place: gives_back_unused_grant
    }
    template <class State>
    void meet(const State& now, const returned&);
    void meet(const resting&, const started&) { seek(); }
    void meet(const resting&, const closed&) { state_ = resting{}; }
    void meet(const seeking&, const granted& grant);
    void meet(const seeking&, const refused& refusal);
    void meet(const seeking&, const closed&);
    void meet(const called&, const begun&) { state_ = deciding{}; }
    void meet(const called&, const not_run&) { rest(); }
    void meet(const called&, const lost&);
    void meet(const called&, const closed&) { rest(); }
    void meet(const deciding&, const decided& decision);
    void meet(const deciding&, const lost&) { step_down(true); }
    void meet(const deciding&, const closed&) { step_down(false); }
    void meet(const leading&, const resigned&) { step_down(enters_after_its_term()); }
    void meet(const leading&, const lost&) { step_down(enters_after_its_term()); }
    void meet(const leading&, const closed&) { step_down(false); }
    // place: start_while_stepping_down
    void meet(const stepping_down&, const started&) { state_ = stepping_down{true}; }
    void meet(const stepping_down&, const closed&) { state_ = stepping_down{false}; }

    void seek();
    void rest();
    void step_down(bool again);
    void do_next(const action& next) { to_do_.push_back(next); }
    [[nodiscard]] bool enters_after_its_term() const {
        return then_ == after_term_policy::enter_again;
    }
    [[nodiscard]] bool queues_after(const deciding&) const { return true; }
    [[nodiscard]] bool queues_after(const leading&) const { return enters_after_its_term(); }
    [[nodiscard]] bool queues_after(const stepping_down& now) const { return now.again; }

    after_term_policy then_;
    state state_;
    turn turn_ = 0;
    std::vector<action> to_do_;
};

}  // namespace turnstile::detail
