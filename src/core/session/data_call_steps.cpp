// SPDX-License-Identifier: Apache-2.0
#include "core/session/data_call_steps.hpp"

#include <utility>
#include <variant>

#include "base/check.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/state_queries.hpp"
#include "core/session/contender_steps.hpp"

namespace turnstile::core {

template <class F>
void commit_steps::with(contender_id hold, F&& event) {
    end_if_lost(hold);
    auto* const writes = owners_.commits.writes_of(hold);
    if (writes == nullptr) return;
    event(*writes, owners_.write_effects);
    carry_out(hold);
    go_on(hold);
}

// If an effect of the event has ended the hold, fails the hold's unsent commits.
void commit_steps::go_on(contender_id hold) {
    end_if_lost(hold);
    auto* const writes = owners_.commits.writes_of(hold);
    if (writes != nullptr && writes->waits(session())) {
        writes->proceed(own(hold), owners_.basics.tickets, owners_.write_effects);
        carry_out(hold);
    }
    let_hold_proceed(hold);
}

template <class F>
void commit_steps::with_all(F&& event) {
    if (owners_.commits.empty()) return;
    for (const auto hold : owners_.commits.holds()) with(hold, event);
}

void commit_steps::commit(const core::commit& request) {
    const auto* found = owners_.contenders.table().find(request.hold);
    const bool stands =
        found != nullptr && found->value.holds() && !owners_.commits.is_released(request.hold);
    if (!stands) {
        const error why =
            owners_.epochs.closing()
                ? error{errc::closed}
                : error{errc::not_held, "nothing was written: the hold was released or lost"};
        owners_.basics.actions.emplace_back(commit_answer{request.id, why});
        return;
    }
    // Sets a watch on the hold's znode before the commit is sent. So the session knows of another client's write before
    // it gets the answer to the commit.
    contender_steps{owners_}.with(
        request.hold, [](contender_core& hold, contender_session& c) { hold.watch_own_znode(c); });
    TURNSTILE_CHECK(!owners_.commits.contains(request.id));
    owners_.commits.add(request.id, {request.hold, request.deadline});
    if (request.deadline) owners_.basics.deadlines.add(*request.deadline, request.id);
    with(request.hold, [&request](guarded_writes& writes, effects& out) {
        writes.add(request.id, request.parts, request.further, out);
    });
}

void commit_steps::cancel(commit_id commit, const error& why) {
    if (!owners_.commits.contains(commit)) return;
    with(owners_.commits.hold_of(commit),
         [&](guarded_writes& writes, effects& out) { writes.cancel(commit, why, out); });
}

void commit_steps::on_reply(contender_id hold, const reply& answer) {
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
    while (const auto hold = owners_.commits.take_changed()) {
        end_if_lost(*hold);
        const auto* const writes = owners_.commits.writes_of(*hold);
        if (writes != nullptr && writes->waits(session())) go_on(*hold);
    }
}

void commit_steps::end_if_lost(contender_id hold) {
    const auto why = owners_.commits.take_loss(hold);
    if (!why) return;
    static_cast<void>(owners_.commits.take_release(hold));
    auto* const writes = owners_.commits.writes_of(hold);
    if (writes == nullptr) return;
    writes->on_hold_over(*why, owners_.write_effects);
    carry_out(hold);
    static_cast<void>(owners_.commits.end_if_empty(hold));
}

// Called when the hold's commits have ended. Other writes of the hold to its znode, and its release, had to wait for
// them.
void commit_steps::let_hold_proceed(contender_id hold) {
    const bool done = owners_.commits.end_if_empty(hold);
    contender_steps contenders{owners_};
    contenders.with(hold, [](contender_core& each, contender_session& c) { each.proceed(c); });
    if (!done) return;
    if (const auto release = owners_.commits.take_release(hold)) contenders.leave(*release);
}

// ---- execution of the effects of an event ---------------------------------------------------

void commit_steps::carry_out(contender_id hold) {
    for (auto& each : owners_.write_effects)
        std::visit([&](auto& effect) { carry_out(hold, std::move(effect)); }, each);
    owners_.write_effects.clear();
}

void commit_steps::carry_out(contender_id hold, write_effects::submit_for_commits&& request) {
    owners_.requests.send_as(request.request.id, std::move(request.request.op), for_commits{hold},
                             owners_.basics);
}

void commit_steps::carry_out(contender_id /*hold*/,
                             write_effects::retry_commits_later&& /*pause*/) {
    owners_.requests.retry_later(owners_.basics.now);
}

void commit_steps::carry_out(contender_id hold, write_effects::version_became&& known) {
    if (auto* found = owners_.contenders.find(hold)) found->value.version_became(known.version);
}

void commit_steps::carry_out(contender_id hold, write_effects::apply&& found) {
    contender_steps{owners_}.with(hold, [&found](contender_core& each, contender_session& c) {
        each.apply(c, found.answer);
    });
}

void commit_steps::carry_out(contender_id /*hold*/, write_effects::tell_outcome&& told) {
    const auto caller = owners_.commits.take(told.commit);
    if (!caller) return;
    if (caller->deadline) owners_.basics.deadlines.remove(*caller->deadline, told.commit);
    owners_.basics.actions.emplace_back(commit_answer{told.commit, std::move(told.outcome)});
}

session_view commit_steps::session() const {
    return {owners_.link.attached(), owners_.link.connection()};
}

own_znode commit_steps::own(contender_id hold) const {
    const auto* found = owners_.contenders.table().find(hold);
    if (found == nullptr) return {};
    const auto& value = found->value;
    return {value.znode(), value.data(), version_in(value.current()), settled(value.current())};
}

void inquiry_steps::start(inquiry_id id, const operation& op, std::optional<time_point> deadline,
                          std::uint64_t only_on) {
    if (const auto why = owners_.epochs.refused()) {
        owners_.basics.actions.emplace_back(core::answer{id, *why});
        return;
    }
    contender_steps{owners_}.send_removals(session_traces::sending::all);
    owners_.inquiries.add(id, op, deadline, only_on);
    if (deadline) owners_.basics.deadlines.add(*deadline, id);
    send(id);
}

void inquiry_steps::send(inquiry_id id) {
    if (!owners_.link.attached()) return;
    const auto connections = owners_.epochs.earlier_connections() + owners_.link.connection();
    if (owners_.inquiries.is_too_late(id, connections))
        return answer(id, answered(server_error::bad_version));
    if (auto op = owners_.inquiries.begin(id))
        owners_.requests.send(std::move(*op), for_inquiry{id}, owners_.basics);
}

void inquiry_steps::send_all() {
    if (owners_.inquiries.empty()) return;
    for (const auto id : owners_.inquiries.ids()) send(id);
}

void inquiry_steps::on_reply(inquiry_id id, const reply& answer) {
    if (!owners_.inquiries.contains(id)) return;
    if (!is_heard(answer)) {
        owners_.inquiries.lost(id);
        // If the session has a newer connection than the connection that lost the request, sends the caller's read or
        // write (the inquiry) again at once. Otherwise the session sends it again on the next connection, or after a
        // pause.
        if (answer.connection < owners_.link.connection()) return send(id);
        return owners_.requests.retry_later(owners_.basics.now);
    }
    auto outcome = answer;
    outcome.connection += owners_.epochs.earlier_connections();
    this->answer(id, std::move(outcome));
}

void inquiry_steps::answer(inquiry_id id, std::variant<reply, error>&& outcome) {
    const auto inquiry = owners_.inquiries.take(id);
    if (!inquiry) return;  // the caller has given up
    if (inquiry->deadline) owners_.basics.deadlines.remove(*inquiry->deadline, id);
    owners_.basics.actions.emplace_back(core::answer{id, std::move(outcome)});
}

void inquiry_steps::fail_all(const error& why) {
    for (const auto id : owners_.inquiries.ids()) answer(id, why);
}

}  // namespace turnstile::core
