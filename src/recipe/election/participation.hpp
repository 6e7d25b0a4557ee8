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
// Thread safety: none, a value.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "recipe/election/course.hpp"

namespace turnstile::detail {

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
