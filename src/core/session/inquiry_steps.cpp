// SPDX-License-Identifier: Apache-2.0
#include "core/session/inquiry_steps.hpp"

#include <utility>

#include "core/contender/answers.hpp"
#include "core/session/contender_steps.hpp"

namespace turnstile::core {

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
