// SPDX-License-Identifier: Apache-2.0
#include "recipe/election/seat_state.hpp"

#include <utility>
#include <variant>

#include "base/out_of_memory.hpp"

namespace turnstile::detail {

seat_effects seat_state::start(const executor& run) {
    if (has_function_ && !thread_) thread_.emplace(run);
    entered_ = true;
    return base::finish_or_end("the start of an election",
                               [this] { return on(course::started{}); });
}

seat_state::ending seat_state::close(const owner& caller) {
    ending out{.effects = on(course::closed{}),
               .thread = std::exchange(thread_, std::nullopt),
               .term = {}};
    if (has_function_) out.term = term_.awaited_by(caller);
    return out;
}

seat_effects seat_state::on(const course::input& event) {
    seat_effects effects;
    const bool led = leads();
    for (const auto& action : now_.on(event))
        std::visit([&](const auto& next) { add(effects, next); }, action);
    if (led != leads()) {
        news_.push_back(!led);
        effects.has_news = true;
    }
    return effects;
}

std::optional<seat_effects> seat_state::grant(turn of, const std::shared_ptr<leadership>& held) {
    auto effects = on(course::turn_granted{of});
    if (!now_.is<course::called>(of)) return std::nullopt;
    held_ = {of, held};
    return effects;
}

std::shared_ptr<guard> seat_state::begin_term(turn of, const owner& thread,
                                              const std::stop_source& stop) {
    static_cast<void>(on(course::begun{of}));  // leads to no actions
    if (!now_.is<course::deciding>(of)) return nullptr;
    term_.begin(of, thread, stop);
    return {held_.held, &held_.held->hold};
}

seat_effects seat_state::decide(turn of, bool may_lead, const std::shared_ptr<guard>& lead) {
    auto effects = on(course::decided{of, may_lead});
    if (leads_in(of)) term_.lead(lead);
    return effects;
}

std::shared_ptr<guard> seat_state::end_call(bool threw) {
    threw_ = threw;
    return term_.take_lead();
}

bool seat_state::take_news() {
    const bool leads = news_.front();
    news_.pop_front();
    return leads;
}

// ---- actions --------------------------------------------------------------------------------

void seat_state::add(seat_effects& effects, const course::enter_queue& next) {
    waiting_ = std::stop_source{};
    effects.enters = next.of;
    effects.leaves = waiting_.get_token();
}

void seat_state::add(seat_effects& effects, const course::leave_queue& /*next*/) {
    effects.to_trigger.push_back(waiting_);
}

void seat_state::add(seat_effects& effects, const course::call_function& next) {
    effects.calls = next.of;
    effects.by = thread_;
}

// Triggers the stop token of the participant's term as the leader. If the participant has a function, the term ends
// when the function has returned. Otherwise the term ends when the election_seat has executed the effects of this
// action.
void seat_state::add(seat_effects& effects, const course::stop& next) {
    effects.to_trigger.push_back(term_.stop());
    if (has_function_ || !term_.lead()) return;
    effects.to_release.push_back(term_.take_lead());
    effects.returns = next.of;
}

void seat_state::add(seat_effects& effects, const course::give_back_lead& next) {
    if (next.of == held_.of) effects.to_release.push_back(std::exchange(held_.held, nullptr));
}

void seat_state::add(seat_effects& effects, const course::pause& next) {
    pause_end_ = boottime_clock::now() + pauses_.draw(std::exchange(threw_, false), chance_);
    effects.pauses = next.of;
    effects.until = pause_end_;
}

}  // namespace turnstile::detail
