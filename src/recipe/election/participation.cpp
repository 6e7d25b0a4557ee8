// SPDX-License-Identifier: Apache-2.0
#include "recipe/election/participation.hpp"

#include "base/inner_error.hpp"

namespace turnstile::detail {

namespace course {

// ---- the effect of each event in each state ---------------------------------------------------

namespace {

template <class State, class Input>
void meet(progress& /*of*/, const State& /*now*/, const Input& /*event*/) {}  // no effect

template <class State>
void meet(progress& of, const State& /*now*/, const turn_granted& grant) {
    of.do_next(give_back_lead{grant.of});  // place: gives_back_unused_grant
}

void meet(progress& of, const resting& /*now*/, const started& /*event*/) {
    of.seek();
}
void meet(progress& of, const resting& /*now*/, const closed& /*event*/) {
    of.go_to(resting{});
}

void meet(progress& of, const seeking& /*now*/, const turn_granted& grant) {
    of.go_to(called{});
    of.do_next(call_function{grant.of});
}
void meet(progress& of, const seeking& /*now*/, const turn_refused& refusal) {
    if (base::is_contender_gone(refusal.why)) return of.seek();
    of.go_to(resting{refusal.why});
}
void meet(progress& of, const seeking& /*now*/, const closed& /*event*/) {
    of.go_to(resting{});
    of.do_next(leave_queue{of.present()});  // place: closing_leaves_the_queue
}

void meet(progress& of, const called& /*now*/, const begun& /*event*/) {
    of.go_to(deciding{});
}
void meet(progress& of, const called& /*now*/, const not_run& /*event*/) {
    of.rest();
}
void meet(progress& of, const called& /*now*/, const turn_lost& /*event*/) {
    of.do_next(give_back_lead{of.present()});
    of.seek();
}
void meet(progress& of, const called& /*now*/, const closed& /*event*/) {
    of.rest();
}

void meet(progress& of, const deciding& /*now*/, const decided& decision) {
    if (decision.leads) {
        of.go_to(leading{});
    } else {
        of.go_to(stepping_down{true});  // place: steps_aside
    }
}
void meet(progress& of, const deciding& /*now*/, const turn_lost& /*event*/) {
    of.step_down({.again = true});
}
void meet(progress& of, const deciding& /*now*/, const closed& /*event*/) {
    of.step_down({.again = false});
}

void meet(progress& of, const leading& /*now*/, const resigned& /*event*/) {
    of.step_down({.again = of.enters_after_its_term(), .pauses = true});
}
// A participant that has lost its lead queues again without a pause: the servers caused the loss, and a pause would not
// make losses rarer.
void meet(progress& of, const leading& /*now*/, const turn_lost& /*event*/) {
    of.step_down({.again = of.enters_after_its_term()});
}
void meet(progress& of, const leading& /*now*/, const closed& /*event*/) {
    of.step_down({.again = false});
}

void meet(progress& of, const stepping_down& now, const started& /*event*/) {
    of.go_to(stepping_down{true, now.pauses});  // place: start_while_stepping_down
}
void meet(progress& of, const stepping_down& /*now*/, const closed& /*event*/) {
    of.go_to(stepping_down{false});
}

// Ends the present turn (one stay in the queue), because the turn's task has ended. Begins the next turn, or a pause,
// if `how` demands this.
void end_turn(progress& of, const stepping_down& how) {
    of.rest();
    if (!how.again) return;
    if (how.pauses) return of.wait_out();
    of.seek();
}
void meet(progress& of, const deciding& /*now*/, const returned& /*event*/) {
    end_turn(of, {.again = true});
}
void meet(progress& of, const leading& /*now*/, const returned& /*event*/) {
    end_turn(of, {.again = of.enters_after_its_term(), .pauses = true});
}
void meet(progress& of, const stepping_down& now, const returned& /*event*/) {
    end_turn(of, now);
}

void meet(progress& of, const pausing& /*now*/, const rested& /*event*/) {
    of.seek();
}
void meet(progress& of, const pausing& /*now*/, const closed& /*event*/) {
    of.go_to(resting{});
}

template <class Input>
std::optional<turn> turn_of(const Input& event) {
    if constexpr (requires { event.of; }) {
        return event.of;
    } else {
        return std::nullopt;
    }
}

template <class Input>
void meet_any(progress& of, const Input& event) {
    const auto which = turn_of(event);
    if (which && *which != of.present()) return meet(of, resting{}, event);  // an earlier turn
    const auto before = of.now();
    std::visit([&](const auto& now) { meet(of, now, event); }, before);
}

}  // namespace

}  // namespace course

std::vector<course::action> participation::on(const course::input& event) {
    std::visit([this](const auto& alternative) { course::meet_any(progress_, alternative); },
               event);
    return progress_.take();
}

std::optional<course::turn> participation::running() const {
    const auto& now = progress_.now();
    const bool runs = std::holds_alternative<course::deciding>(now) ||
                      std::holds_alternative<course::leading>(now) ||
                      std::holds_alternative<course::stepping_down>(now);
    return runs ? std::optional{progress_.present()} : std::nullopt;
}

std::optional<course::turn> participation::pausing() const {
    const bool pauses = std::holds_alternative<course::pausing>(progress_.now());
    return pauses ? std::optional{progress_.present()} : std::nullopt;
}

std::optional<error> participation::failure() const {
    const auto* rests = std::get_if<course::resting>(&progress_.now());
    return rests == nullptr ? std::nullopt : rests->why;
}

}  // namespace turnstile::detail
