// SPDX-License-Identifier: Apache-2.0
#include "simulation/recorder.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

namespace turnstile::simulation {

void recorder::on_call(contender_key key, contender_record&& record) {
    history_.tagged[history::tag(key)] = key;
    history_.contenders.emplace(key, std::move(record));
}

void recorder::on_left(contender_key key) {
    history_.contenders.at(key).left = true;
    holding_.erase(key);
}

void recorder::on_notice(client_id client, const core::notice& notice) {
    const contender_key key{client, notice.id};
    auto& record = history_.contenders.at(key);
    if (const auto* grant = std::get_if<core::granted>(&notice.event)) {
        record_grant(key, record, *grant);
    } else if (std::holds_alternative<core::failed>(notice.event)) {
        record.failed = true;
    } else if (std::holds_alternative<core::at_risk>(notice.event)) {
        record.at_risk = true;
    } else if (const auto* loss = std::get_if<core::lost>(&notice.event)) {
        record_loss(key, record, loss->why);
    } else if (const auto* renamed = std::get_if<core::renamed>(&notice.event)) {
        record.znode = renamed->znode;
        record.token = renamed->token;
    } else if (std::holds_alternative<core::gone>(notice.event)) {
        record.gone = true;
        record.abandoned = clients_[client]->closed();
    }
    if (!std::holds_alternative<core::position_known>(notice.event) && record.answered())
        progressed_at_ = now();
}

void recorder::record_grant(contender_key key, contender_record& record,
                            const core::granted& grant) {
    const auto& holder = *clients_[key.first];
    record.granted = true;
    record.znode = grant.znode;
    record.epoch = holder.core().epoch();
    record.granted_at = now();
    record.max_end = grant.until.value_or(core::time_point::max());
    record.valid_until = std::min(holder.valid_until(), record.max_end);
    record.token = grant.token;
    if (!record.left) holding_.insert(key);
}

void recorder::record_loss(contender_key key, contender_record& record, const error& reason) {
    record.lost = true;
    holding_.erase(key);
    if (reason == errc::held_too_long) record.given_up_at = now();
}

void recorder::on_step(client_id client) {
    const auto& core = clients_[client]->core();
    const auto until = clients_[client]->valid_until();
    for (const auto& key : holding_) {
        if (key.first != client) continue;
        auto& record = history_.contenders.at(key);
        if (record.epoch == core.epoch()) record.valid_until = std::min(until, record.max_end);
        if (core.state() == session_state::connected) record.at_risk = false;
    }
}

void recorder::on_crash(client_id client) {
    for (auto& [key, record] : history_.contenders) {
        if (key.first != client) continue;
        record.left = true;
        record.abandoned = true;
        holding_.erase(key);
    }
}

void recorder::on_spin(client_id client) {
    throw std::logic_error{
        fmt::format("client {} runs a timer again and again at one instant", client)};
}

// Drops data that only the check of the promises reads (verification/invariants.hpp).
void recorder::after_event() {
    (void)history_.take_created();
    (void)history_.take_written();
}

}  // namespace turnstile::simulation
