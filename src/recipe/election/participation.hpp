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
// What belongs to an earlier turn changes nothing, and a grant that comes for one is given back. While the function of a turn has not returned no
// other turn begins: so a grant always has a function that runs or is about to.
//
// Where a term ends: only when the function has run to its end does `after_term_policy` decide. A participant
// that stepped aside for a named one, or lost the lead before its function was called, queues again.
//
// Thread safety: none, a value.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "recipe/election/course.hpp"

namespace turnstile::detail {

// A hold that was granted and over before it could be used: a further attempt may do better.
[[nodiscard]] inline bool is_worth_another_attempt(const error& why) {
    return why == errc::session_lost || why == errc::removed;
}

class participation {
public:
    explicit participation(after_term_policy then) : progress_{then} {}

    // What is to be done now, in this order.
    [[nodiscard]] std::vector<course::action> on(const course::input& event);

    // Whether this turn is the present one, and in this state.
    template <class State>
    [[nodiscard]] bool is(course::turn which) const {
        return which == progress_.present() && std::holds_alternative<State>(progress_.now());
    }
    // The turn whose task has begun and has not returned.
    [[nodiscard]] std::optional<course::turn> running() const;
    // Why it rests, if it could not take part.
    [[nodiscard]] std::optional<error> failure() const;

private:
    course::progress progress_;
};

}  // namespace turnstile::detail
