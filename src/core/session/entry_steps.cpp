// SPDX-License-Identifier: Apache-2.0
#include "core/session/entry_steps.hpp"

#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "core/contender/answers.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::core {
namespace {

using sending = session_traces::sending;

}  // namespace

// ---- contenders that enter their queues -----------------------------------------------------

// Sends the contenders' other requests after the creates, since the folder's children must include the new znode when
// the servers list them. Sends waiting removals first, so that no contender queues behind contenders of this session
// that have given up.
template <class F>
void entry_steps::create_together(F&& enter) {
    auto& actions = owners_.basics.actions;
    owners_.requests.gather_creations();
    auto earlier = std::exchange(actions, {});
    enter();
    auto besides = std::exchange(actions, std::move(earlier));
    if (owners_.requests.creations().size() != 0)
        contender_steps{owners_}.send_removals(sending::all);
    owners_.requests.send_creations(owners_.basics);
    for (auto& each : besides) actions.push_back(std::move(each));
}

void entry_steps::acquire(const core::acquire_together& request) {
    const auto acquire_all = [&] {
        for (const auto& each : request.all) contender_steps{owners_}.acquire(each);
    };
    if (!owners_.link.attached()) return acquire_all();
    create_together(acquire_all);
}

void entry_steps::let_in() {
    auto& contenders = owners_.contenders;
    while (contenders.some_are_behind()) {
        if (!owners_.requests.wants_room()) return;
        contender_steps{owners_}.with(
            contenders.take_behind(),
            [](contender_core& each, contender_session& c) { each.on_attached(c); });
    }
    while (start_several()) {
    }
}

bool entry_steps::start_next() {
    const auto& outside = owners_.contenders.table().outside();
    if (outside.empty() || !owners_.requests.wants_room()) return false;
    const auto id = *outside.begin();
    contender_steps{owners_}.with(
        id, [](contender_core& next, contender_session& c) { next.start(c); });
    return outside.empty() || *outside.begin() != id;
}

bool entry_steps::start_several() {
    if (!owners_.link.attached() || owners_.contenders.table().outside().empty()) return false;
    if (!contender_steps{owners_}.numbers_count_creates()) return start_next();
    const auto& creations = owners_.requests.creations();
    if (!creations.is_open()) return false;  // place: waits_for_an_answer
    bool some = false;
    create_together([&] {
        while (!creations.is_full() && start_next()) some = true;
    });
    return some;
}

// ---- answers to transactions ----------------------------------------------------------------

// The servers carry out a transaction as a whole or not at all. So after a refusal no create was carried out.
void entry_steps::on_reply(const for_creations& sent, const reply& answer) {
    const auto& creations = sent.creations;
    if (is_batch_refused(answer)) return answer_refused(sent, answer);
    const auto first = creation_answer(creations, 0, answer);
    contender_steps{owners_}.on_reply(creations.front().contender, first);
    for (std::size_t i = 1; i != creations.size(); ++i)
        contender_steps{owners_}.on_reply(creations[i].contender,
                                          creation_answer(creations, i, answer));
    note_probe(first);
}

// Called after a transaction that also created and removed a temporary znode, its probe (batches.hpp). `beside`:
// the answer to the create in the folder in which the probe was.
void entry_steps::note_probe(const reply& beside) {
    if (beside.path.empty() || !contender_steps{owners_}.numbers_count_creates()) return;
    const auto name = beside.path.rfind('/') + 1;
    const auto number = contender_sequence(std::string_view{beside.path}.substr(name));
    if (number && !at_counter_end(*number))
        owners_.traces.number_probed(beside.path.substr(0, name - 1), *number, owners_.basics);
}

// If the answer names the refused create, its contender gets the refusal, and the other creates are sent again in one
// transaction. If the servers refuse that transaction as well, each create is sent alone.
void entry_steps::answer_refused(const for_creations& sent, const reply& answer) {
    const auto which = sent.again ? std::nullopt : refused_creation(sent.creations, answer);
    auto rest = sent.creations;
    if (which) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*which));
    rest = take_out_leavers(rest, answer);
    if (!which) {
        for (const auto& each : rest) owners_.requests.create_alone(each, owners_.basics);
        return;
    }
    owners_.requests.create_again(std::move(rest), owners_.basics);  // place: rest_goes_again
    const auto& refused = sent.creations[*which];
    // place: refused_creator_is_answered
    contender_steps{owners_}.on_reply(refused.contender,
                                      refusal_of_creation(refused, answer.parts[*which], answer));
}

std::vector<creation> entry_steps::take_out_leavers(const std::vector<creation>& all,
                                                    const reply& answer) {
    std::vector<creation> rest;
    for (const auto& each : all) {
        const auto* contender = owners_.contenders.table().find(each.contender);
        if (owners_.link.attached() && contender != nullptr && contender->value.waits()) {
            rest.push_back(each);
            continue;
        }
        auto never = refusal_of_creation(each, server_error::ok, answer);
        never.outcome = outcome::not_sent;
        contender_steps{owners_}.on_reply(each.contender, never);
    }
    return rest;
}

}  // namespace turnstile::core
