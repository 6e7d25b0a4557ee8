// SPDX-License-Identifier: Apache-2.0
#include "core/session/commit_steps.hpp"

#include <utility>
#include <variant>

#include "base/check.hpp"
#include "core/contender/state_queries.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/request_steps.hpp"

namespace turnstile::core {

template <class F>
void commit_steps::with(acquisition_id hold, F&& event) {
    end_if_lost(hold);
    auto* const writes = life_.commits.writes_of(hold);
    if (writes == nullptr) return;
    effects wanted;
    event(*writes, wanted);
    carry_out(hold, std::move(wanted));
    go_on(hold);
}

// An effect may end the hold.
void commit_steps::go_on(acquisition_id hold) {
    end_if_lost(hold);
    auto* const writes = life_.commits.writes_of(hold);
    if (writes != nullptr && writes->waits(session())) {
        effects next;
        writes->proceed(own(hold), life_.tickets, next);
        carry_out(hold, std::move(next));
    }
    let_hold_proceed(hold);
}

template <class F>
void commit_steps::with_all(F&& event) {
    if (life_.commits.empty()) return;
    for (const auto hold : life_.commits.holds()) with(hold, event);
}

void commit_steps::commit(const core::commit& request) {
    const auto* found = life_.contenders.find(request.hold);
    const bool stands =
        found != nullptr && found->value.holds() && !life_.commits.is_released(request.hold);
    if (!stands) {
        const error why =
            life_.closing
                ? error{errc::closed}
                : error{errc::not_held, "nothing was written: the hold was released or lost"};
        life_.actions.emplace_back(commit_answer{request.id, why});
        return;
    }
    // What another client has written into the hold's znode is known before the answer, as for a confirmation.
    contender_steps{life_}.with(
        request.hold, [](acquisition& hold, contender_session& c) { hold.watch_own_znode(c); });
    TURNSTILE_CHECK(!life_.commits.contains(request.id));
    life_.commits.add(request.id, {request.hold, request.deadline});
    if (request.deadline) life_.deadlines.add(*request.deadline, request.id);
    with(request.hold, [&request](guarded_writes& writes, effects& out) {
        writes.add(request.id, request.parts, request.standing, out);
    });
}

void commit_steps::cancel(commit_id commit, const error& why) {
    if (!life_.commits.contains(commit)) return;
    with(life_.commits.hold_of(commit),
         [&](guarded_writes& writes, effects& out) { writes.cancel(commit, why, out); });
}

void commit_steps::on_reply(acquisition_id hold, const reply& answer) {
    with(hold,
         [&](guarded_writes& writes, effects& out) { writes.on_reply(session(), answer, out); });
}

void commit_steps::on_attached() {
    with_all([](guarded_writes& writes, effects& /*out*/) { writes.on_attached(); });
}

void commit_steps::end(const error& why) {
    with_all([&why](guarded_writes& writes, effects& out) { writes.on_epoch_end(why, out); });
}

void commit_steps::follow_holds() {
    while (const auto hold = life_.commits.take_changed()) {
        end_if_lost(*hold);
        const auto* const writes = life_.commits.writes_of(*hold);
        if (writes != nullptr && writes->waits(session())) go_on(*hold);
    }
}

void commit_steps::end_if_lost(acquisition_id hold) {
    const auto why = life_.commits.take_loss(hold);
    if (!why) return;
    static_cast<void>(life_.commits.take_release(hold));
    auto* const writes = life_.commits.writes_of(hold);
    if (writes == nullptr) return;
    effects told;
    writes->on_hold_over(*why, told);
    carry_out(hold, std::move(told));
    static_cast<void>(life_.commits.end_if_empty(hold));
}

// What the hold itself wants with its znode, or its release, has waited for the commits.
void commit_steps::let_hold_proceed(acquisition_id hold) {
    const bool done = life_.commits.end_if_empty(hold);
    contender_steps contenders{life_};
    contenders.with(hold, [](acquisition& each, contender_session& c) { each.proceed(c); });
    if (!done) return;
    if (const auto release = life_.commits.take_release(hold)) contenders.leave(*release);
}

// ---- the effects of an event ----------------------------------------------------------------

void commit_steps::carry_out(acquisition_id hold, effects&& wanted) {
    for (auto& each : wanted)
        std::visit([&](auto& effect) { carry_out(hold, std::move(effect)); }, each);
}

void commit_steps::carry_out(acquisition_id hold, write_effects::submit&& request) {
    request_steps{life_}.send_as(request.request.id, std::move(request.request.op),
                                 for_commits{hold});
}

void commit_steps::carry_out(acquisition_id /*hold*/, write_effects::retry_later&& /*pause*/) {
    request_steps{life_}.retry_later();
}

void commit_steps::carry_out(acquisition_id hold, write_effects::version_became&& known) {
    if (auto* found = life_.contenders.find(hold)) found->value.version_became(known.version);
}

void commit_steps::carry_out(acquisition_id hold, write_effects::apply&& found) {
    contender_steps{life_}.with(
        hold, [&found](acquisition& each, contender_session& c) { each.apply(c, found.answer); });
}

void commit_steps::carry_out(acquisition_id /*hold*/, write_effects::tell&& told) {
    const auto caller = life_.commits.take(told.commit);
    if (!caller) return;
    if (caller->deadline) life_.deadlines.remove(*caller->deadline, told.commit);
    life_.actions.emplace_back(commit_answer{told.commit, std::move(told.outcome)});
}

session_view commit_steps::session() const {
    return {life_.attached() != nullptr, life_.latest_connection()};
}

own_znode commit_steps::own(acquisition_id hold) const {
    const auto* found = life_.contenders.find(hold);
    if (found == nullptr) return {};
    const auto& value = found->value;
    return {value.znode(), value.data(), version_in(value.current()), settled(value.current())};
}

}  // namespace turnstile::core
