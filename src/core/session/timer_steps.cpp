// SPDX-License-Identifier: Apache-2.0
#include "core/session/timer_steps.hpp"

#include <optional>
#include <variant>

#include "core/session/commit_steps.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/due_times.hpp"
#include "core/session/lease_steps.hpp"
#include "core/session/link_steps.hpp"
#include "core/session/placement_steps.hpp"
#include "core/session/request_steps.hpp"
#include "core/session/session_errors.hpp"
#include "core/session/silence_steps.hpp"

namespace turnstile::core {

void timer_steps::judge_lease() {
    lease_steps lease{life_};
    lease.end_if_over();
    lease.replace_if_broken();
}

void timer_steps::on_time() {
    contender_steps contenders{life_};
    request_steps requests{life_};
    judge_lease();
    lease_steps{life_}.abandon_if_refused();
    if (due::has_come(due::end_while_closing(life_), life_)) link_steps{life_}.on_closed();
    if (due::has_come(due::silence(life_), life_)) silence_steps{life_}.look();
    expire_deadlines();  // place: deadlines_that_passed
    contenders.end_long_holds();
    contenders.end_delays();
    contenders.warn_holders();
    if (due::has_come(due::placement(life_), life_)) placement_steps{life_}.on_time();
    if (due::has_come(life_.reopen_at, life_)) link_steps{life_}.open();
    retry_if_due();
    if (due::has_come(due::confirmation(life_), life_)) contenders.confirm();
    if (due::has_come(due::second_look(life_), life_)) contenders.look_again();
    if (due::has_come(due::keep_alive(life_), life_)) requests.send_keep_alive();
    if (due::has_come(due::search(life_), life_)) requests.search_abandoned();
    finish();
}

void timer_steps::retry_if_due() {
    auto* connection = life_.attached();
    if (connection == nullptr || !connection->retry.begin_if_due(life_.now)) return;
    const auto& pending = life_.epoch->pending;
    auto& confirmations = connection->confirmations;
    if (confirmations.request() && !pending.contains(*confirmations.request()))
        confirmations.lost(life_.now, life_.confirm_interval());
    if (connection->search && !pending.contains(*connection->search)) connection->search.reset();
    commit_steps{life_}.on_attached();
    contender_steps{life_}.go_on();
    request_steps{life_}.send_inquiries();
}

void timer_steps::expire_deadlines() {
    while (const auto id = life_.deadlines.take_due(life_.now))
        std::visit([this](auto late) { expire(late); }, *id);
}

void timer_steps::expire(acquisition_id late) {
    contender_steps{life_}.expire(late);
}

void timer_steps::expire(inquiry_id late) {
    if (life_.inquiries.take(late))
        life_.actions.emplace_back(answer{late, deadline_error(life_, "the query", std::nullopt)});
}

void timer_steps::expire(commit_id late) {
    commit_steps{life_}.cancel(late, deadline_error(life_, "the commit", std::nullopt));
}

void timer_steps::finish() {
    commit_steps{life_}.follow_holds();
    contender_steps{life_}.let_in();
    lease_steps{life_}.fail_hopeless();
    link_steps{life_}.replace_if_needed();
}

}  // namespace turnstile::core
