// SPDX-License-Identifier: Apache-2.0
#include "recipe/election/participation.hpp"

namespace turnstile::detail {

namespace {

template <class Input>
std::optional<participation::turn> turn_of(const Input& what) {
    if constexpr (requires { what.of; }) {
        return what.of;
    } else {
        return std::nullopt;
    }
}

}  // namespace

std::vector<participation::action> participation::on(const input& what) {
    std::visit(
        [this](const auto& one) {
            const auto of = turn_of(one);
            if (of && *of != turn_) {
                meet(resting{}, one);  // an earlier turn's
            } else {
                const auto now = state_;
                std::visit([&](const auto& in) { meet(in, one); }, now);
            }
        },
        what);
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

void participation::meet(const seeking&, const granted& what) {
    state_ = called{};
    do_next(call{what.of});
}

void participation::meet(const seeking&, const refused& what) {
    if (is_worth_another_attempt(what.why)) return seek();
    state_ = resting{what.why};
}

void participation::meet(const seeking&, const closed&) {
    state_ = resting{};
    do_next(leave{turn_});  // place: closing_leaves_the_queue
}

void participation::meet(const called&, const lost&) {
    do_next(give_back{turn_});
    seek();
}

void participation::meet(const deciding&, const decided& what) {
    if (what.leads) {
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
