// SPDX-License-Identifier: Apache-2.0
#include "core/session/timer_steps.hpp"

#include <optional>
#include <string>
#include <variant>

#include "base/check.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/data_call_steps.hpp"
#include "core/session/due_times.hpp"
#include "core/session/entry_steps.hpp"
#include "core/session/link_steps.hpp"
#include "core/session/session_errors.hpp"

namespace turnstile::core {

void timer_steps::judge_lease() {
    end_lease_if_over();
    replace_if_broken();
}

// If this function gets a new action, due::next must return the time of this action, too.
void timer_steps::on_time() {
    contender_steps contenders{owners_};
    link_steps links{owners_};
    const auto& lease = owners_.link.session_lease();
    auto& basics = owners_.basics;
    judge_lease();
    replace_if_refused();
    if (has_come(due::end_while_closing(owners_))) links.on_closed();
    if (has_come(due::silence(owners_))) links.look_elsewhere();
    expire_deadlines();  // place: deadlines_that_passed
    contenders.end_long_holds();
    contenders.end_delays();
    owners_.contenders.warn_holders(lease.valid_until(), basics);
    if (has_come(due::placement(owners_))) owners_.placement.settle_or_seek(lease, basics);
    if (has_come(owners_.epochs.reopen_at())) links.open();
    retry_if_due();
    if (has_come(due::confirmation(owners_))) contenders.confirm();
    if (has_come(due::second_look(owners_))) contenders.look_again();
    if (has_come(due::keep_alive(owners_))) owners_.requests.send_keep_alive(basics);
    if (has_come(due::search(owners_))) search_abandoned();
    finish();
}

void timer_steps::finish() {
    commit_steps{owners_}.follow_holds();
    entry_steps{owners_}.let_in();
    fail_hopeless();
    link_steps{owners_}.replace_if_needed();
}

// ---- the lease ------------------------------------------------------------------------------

void timer_steps::end_lease_if_over() {
    if (!has_come(due::lease_end(owners_))) return;
    const auto& lease = owners_.link.session_lease();
    TURNSTILE_CHECK(!owners_.epochs.closing());
    TURNSTILE_CHECK(!lease.valid(owners_.basics.now) ||
                    owners_.contenders.table().holding().empty());
    std::string text = "the session's lease ran out before it was confirmed";
    if (owners_.link.attached() && !lease.can_be_kept()) {
        text += ": " + owners_.placement.short_lease(lease);
        owners_.placement.warn_if_short(lease, owners_.basics);
    }
    const error why{errc::session_lost, text};
    link_steps{owners_}.enter(session_state::lost, why.message());
    contender_steps{owners_}.with_some(
        id_set{owners_.contenders.table().holding()},
        [&why](contender_core& hold, contender_session& c) { hold.on_lease_end(c, why); });
}

void timer_steps::replace_if_broken() {
    if (!has_come(due::broken(owners_))) return;
    link_steps{owners_}.end_epoch(
        {errc::session_lost,
         "no answer proved in time that the session is alive; a new session is opened"},
        close_session::how::orderly);
}

void timer_steps::replace_if_refused() {
    if (!has_come(owners_.link.given_up(owners_.epochs.closing()))) return;
    TURNSTILE_CHECK(!owners_.link.session_lease().valid(owners_.basics.now));
    link_steps{owners_}.end_epoch(
        {errc::session_lost, "no server accepted the session again; a new session is opened"},
        close_session::how::abandon);
}

// If no answer on this connection can make the lease valid, the first contender in a queue can never be granted, and
// all contenders behind this contender wait. So the first contender leaves its queue, and its caller gets the reason.
void timer_steps::fail_hopeless() {
    if (!has_come(due::hopeless(owners_))) return;
    const auto& lease = owners_.link.session_lease();
    owners_.placement.warn_if_short(lease, owners_.basics);
    const error why{errc::lease_too_short, owners_.placement.short_lease(lease)};
    contender_steps{owners_}.with_some(
        id_set{owners_.contenders.table().awaiting_lease()},
        [&why](contender_core& waiter, contender_session& c) { waiter.leave(c, why); });
}

// ---- retries and deadlines ------------------------------------------------------------------

void timer_steps::retry_if_due() {
    const auto now = owners_.basics.now;
    auto& requests = owners_.requests;
    if (!requests.retries_now(now)) return;
    const auto confirmation = owners_.contenders.confirmation();
    if (confirmation && !requests.is_under_way(*confirmation))
        owners_.contenders.confirmation_lost(now, owners_.link.confirm_interval());
    if (const auto& search = owners_.traces.search(); search && !requests.is_under_way(*search))
        owners_.traces.set_search({});
    commit_steps{owners_}.on_attached();
    contender_steps{owners_}.go_on();
    inquiry_steps{owners_}.send_all();
}

void timer_steps::search_abandoned() {
    auto folder = owners_.traces.folder_due();
    owners_.traces.set_search(
        owners_.requests.send(children_op{folder}, for_search{folder}, owners_.basics));
}

void timer_steps::expire_deadlines() {
    while (const auto id = owners_.basics.deadlines.take_due(owners_.basics.now))
        std::visit([this](auto late) { expire(late); }, *id);
}

void timer_steps::expire(contender_id late) {
    contender_steps{owners_}.expire(late);
}

void timer_steps::expire(inquiry_id late) {
    inquiry_steps{owners_}.answer(late, deadline_error(owners_, "the query", std::nullopt));
}

void timer_steps::expire(commit_id late) {
    commit_steps{owners_}.cancel(late, deadline_error(owners_, "the commit", std::nullopt));
}

}  // namespace turnstile::core
