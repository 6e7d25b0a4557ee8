// SPDX-License-Identifier: Apache-2.0
#include "recipe/election/participation.hpp"

namespace turnstile::detail {

namespace {

template <class Input>
std::optional<participation::turn> turn_of(const Input& event) {
    if constexpr (requires { event.of; }) {
        return event.of;
    } else {
        return std::nullopt;
    }
}

}  // namespace

std::vector<participation::action> participation::on(const input& event) {
    std::visit(
        [this](const auto& alternative) {
            const auto of = turn_of(alternative);
            if (of && *of != turn_) {
                meet(resting{}, alternative);  // an earlier turn's
            } else {
                const auto now = state_;
                std::visit([&](const auto& in) { meet(in, alternative); }, now);
            }
        },
        event);
    return std::exchange(to_do_, {});
}

std::optional<participation::turn> participation::running() const {
    const bool runs = std::holds_alternative<deciding>(state_) ||
                      std::holds_alternative<leading>(state_) ||
                      std::holds_alternative<stepping_down>(state_);
    return runs ? std::optional{turn_} : std::nullopt;
}

std::optional<error> participation::failure() const {
    const auto* now = std::get_if<resting>(&state_);
    return now == nullptr ? std::nullopt : now->why;
}

// ---- what a state makes of what happens ------------------------------------------------------

void participation::meet(const seeking&, const granted& grant) {
    state_ = called{};
    do_next(call{grant.of});
}

void participation::meet(const seeking&, const refused& refusal) {
    if (is_worth_another_attempt(refusal.why)) return seek();
    state_ = resting{refusal.why};
}

void participation::meet(const seeking&, const closed&) {
    state_ = resting{};
    do_next(leave{turn_});  // place: closing_leaves_the_queue
}

void participation::meet(const called&, const lost&) {
    do_next(give_back{turn_});
    seek();
}

void participation::meet(const deciding&, const decided& decision) {
    if (decision.leads) {
        state_ = leading{};
    } else {
        state_ = stepping_down{true};  // place: steps_aside
    }
}

template <class State>
void participation::meet(const State& now, const returned&) {
    if constexpr (requires { queues_after(now); }) {
        const bool again = queues_after(now);
        rest();
        if (again) seek();
    }
}

// ---- steps ----------------------------------------------------------------------------------

void participation::seek() {
    state_ = seeking{};
    do_next(enter{++turn_});
}

void participation::rest() {
    state_ = resting{};
    do_next(give_back{turn_});
}

void participation::step_down(bool again) {
    state_ = stepping_down{again};
    do_next(stop{turn_});
}

}  // namespace turnstile::detail
