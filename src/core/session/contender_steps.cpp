// SPDX-License-Identifier: Apache-2.0
#include "core/session/contender_steps.hpp"

#include <utility>
#include <variant>

#include "base/check.hpp"
#include "core/contender/state_queries.hpp"
#include "core/session/due_times.hpp"
#include "core/session/effect_steps.hpp"
#include "core/session/request_steps.hpp"
#include "core/session/session_errors.hpp"

namespace turnstile::core {

// ---- what callers want ----------------------------------------------------------------------

void contender_steps::acquire(const core::acquire& request) {
    const auto why = life_.refused();
    if (why) {  // place: refuses_after_close
        life_.actions.emplace_back(notice{request.id, failed{*why}});
        life_.actions.emplace_back(notice{request.id, gone{}});
        return;
    }
    add(request.id, contender{acquisition{request.settings}, request.deadline});
    life_.clock.add(request.id, request.warn_before, request.max_hold);
    if (request.deadline) life_.deadlines.add(*request.deadline, request.id);
    with(request.id, [](acquisition& added, contender_session& c) { added.start(c); });
}

// Their other requests follow the creates: a list has to show its contender's znode.
void contender_steps::acquire(const core::acquire_together& request) {
    if (!life_.attached()) {
        for (const auto& each : request.all) acquire(each);
        return;
    }
    request_steps requests{life_};
    requests.send_removals(request_steps::sending::all);
    life_.epoch->creations.begin();
    auto earlier = std::exchange(life_.actions, {});
    for (const auto& each : request.all) acquire(each);
    auto besides = std::exchange(life_.actions, std::move(earlier));
    requests.send_creations();
    for (auto& each : besides) life_.actions.push_back(std::move(each));
}

void contender_steps::add(acquisition_id id, contender&& added) {
    TURNSTILE_CHECK(life_.contenders.find(id) == nullptr);
    if (life_.contenders.empty()) life_.looks.begin(life_.now);
    life_.contenders.add(id, std::move(added));
}

void contender_steps::leave(const core::leave& request) {
    if (release_later(request)) return;
    with(request.id,
         [&request](acquisition& left, contender_session& c) { left.leave(c, request.why); });
}

// A release waits for the hold's commits: a commit's outcome can be found out only while the hold's znode exists.
bool contender_steps::release_later(const core::leave& request) {
    if (!life_.commits.has_writes(request.id)) return false;
    const auto* const found = life_.contenders.find(request.id);
    if (found == nullptr || !found->value.holds()) return false;
    life_.commits.release_later(request);
    return true;
}

void contender_steps::leave(const core::leave_together& request) {
    if (life_.epoch) life_.epoch->removals.gather(true);
    for (const auto id : request.all) leave(core::leave{id, request.why});
    if (!life_.epoch) return;
    life_.epoch->removals.gather(false);
    request_steps{life_}.send_removals(request_steps::sending::all);
}

void contender_steps::cancel(acquisition_id id, const error& why) {
    with(id, [&why](acquisition& cancelled, contender_session& c) {
        if (cancelled.waits()) cancelled.leave(c, why);
    });
}

void contender_steps::rename(const core::rename& request) {
    with(request.id,
         [&request](acquisition& hold, contender_session& c) { hold.rename(c, request.kind); });
}

// ---- what the servers tell ------------------------------------------------------------------

void contender_steps::on_reply(acquisition_id id, const reply& answer, prepared_list* list) {
    with(
        id, [&answer](acquisition& asker, contender_session& c) { asker.on_reply(c, answer); },
        list);
}

void contender_steps::on_watch(const watch_event& event) {
    TURNSTILE_CHECK(life_.epoch);
    const auto interested = life_.epoch->watches.fired(event);
    // place: event_for_those_interested
    for (const auto id : interested)
        // place: event_for_each
        with(id,
             [&event](acquisition& waiter, contender_session& c) { waiter.on_watch(c, event); });
}

void contender_steps::remove_abandoned(const std::string& folder,
                                       const std::vector<std::string>& children) {
    TURNSTILE_CHECK(life_.epoch);
    for (const auto& name : life_.epoch->abandoned.take(folder, children)) {
        const acquisition_id id{k_first_leftover + life_.leftovers++};
        add(id, contender{acquisition::leftover(folder, name)});
        with(id, [](acquisition& leftover, contender_session& c) { leftover.start(c); });
    }
}

// ---- what time brings -----------------------------------------------------------------------

void contender_steps::expire(acquisition_id id) {
    if (const auto* late = life_.contenders.find(id))
        cancel(id, deadline_error(life_, late->value));
}

// The holder is told before its znode is removed, since its guard is over by the same clock.
void contender_steps::end_long_holds() {
    while (const auto id = life_.clock.take_ended(life_.now)) {
        const error why{errc::held_too_long, life_.contenders.at(*id).folder()};
        // place: max_hold_revokes
        with(*id, [&why](acquisition& hold, contender_session& c) { hold.revoke(c, why); });
    }
}

void contender_steps::end_delays() {
    while (const auto id = life_.clock.delay_over(life_.now))
        with(*id, [](acquisition& waiter, contender_session& c) { waiter.on_delay_end(c); });
}

void contender_steps::warn_holders() {
    for (const auto id : life_.clock.take_warnings(life_.now, life_.lease.valid_until()))
        life_.actions.emplace_back(notice{id, expiring{}});
}

void contender_steps::look_again() {
    const auto look = [](acquisition& waiter, contender_session& c) { waiter.look_again(c); };
    life_.looks.begin(life_.now);
    for (const auto id : life_.looks.take_in_line(life_.contenders)) with(id, look);
    for (const auto id : life_.looks.take_behind(life_.contenders)) with(id, look);
}

void contender_steps::watch_own_znodes(id_set ids) {
    with_some(ids, [](acquisition& own, contender_session& c) { own.watch_own_znode(c); });
}

// A check of one znode in a multi of its own: it takes a transaction, so a majority and the session
// stand behind its answer, it changes nothing, and it says whether the znode is still there.
void contender_steps::confirm() {
    TURNSTILE_CHECK(life_.attached());
    auto& confirmations = life_.attached()->confirmations;
    confirmations.begin(life_.now);
    const auto next = life_.contenders.next_to_confirm(life_.epoch->latest_confirmed);
    if (!next) return;
    life_.epoch->latest_confirmed = *next;
    watch_own_znodes(life_.contenders.unwatched());
    const auto& contender = life_.contenders.at(*next);
    const auto znode = contender.znode();
    const auto version =
        needs_confirmation(contender.current()) ? version_in(contender.current()) : k_any_version;
    // place: confirming_write
    confirmations.sent(request_steps{life_}.send(multi_op{{check_op{znode, version}}},
                                                 for_confirmation{*next, znode}));
}

// ---- little by little -----------------------------------------------------------------------

// Those in line ask for their places again: with a thousand of them that is a thousand requests ahead of the next
// confirmation.
void contender_steps::go_on() {
    TURNSTILE_CHECK(life_.attached());
    const auto& window = life_.epoch->window;
    const auto& all = life_.contenders.all();
    for (auto at = all.begin(); at != all.end();) {
        const auto& [id, contender] = *at++;  // `with` may erase this one, and only this one
        const bool waits = waits_in_line(contender.value.current());
        if (waits && !window.has_room()) {
            keep(life_.attached()->behind, id, true);
        } else {
            with(id, [](acquisition& each, contender_session& c) { each.on_attached(c); });
        }
    }
}

void contender_steps::let_in() {
    const auto has_room = [this] {
        if (life_.epoch->window.has_room()) return true;
        life_.epoch->window.is_wanted();
        return false;
    };
    while (life_.attached() && !life_.attached()->behind.empty()) {
        if (!has_room()) return;
        const auto id = *life_.attached()->behind.begin();
        keep(life_.attached()->behind, id, false);
        with(id, [](acquisition& each, contender_session& c) { each.on_attached(c); });
    }
    const auto& outside = life_.contenders.outside();
    while (life_.attached() && !outside.empty()) {
        if (!has_room()) return;
        const auto id = *outside.begin();
        with(id, [](acquisition& next, contender_session& c) { next.start(c); });
        if (!outside.empty() && *outside.begin() == id) return;
    }
}

// ---- each event of an acquisition -----------------------------------------------------------

// Only a waiter asks about the lease and the way in: for a hold this is not worked out.
contender_view contender_steps::view_of(acquisition_id id, const contender& of,
                                        prepared_list* list) const {
    const auto& settings = life_.settings;
    contender_view seen;
    seen.attached = life_.attached() != nullptr;
    seen.connection = life_.latest_connection();
    seen.now = life_.now;
    seen.session_id = life_.session_id();
    seen.gathers_removals = life_.epoch && life_.epoch->removals.gathers();
    if (seen.attached && of.value.waits()) {
        seen.may_enter = may_enter(id);
        seen.lease_lasts = life_.pace().lasts(life_.lease, life_.now);
        seen.unseen_for = life_.pace().unseen_for(life_.lease);
        if (due::has_come(due::no_lease(life_), life_))
            seen.no_lease = error{errc::lease_too_short, short_lease(life_)};
    }
    seen.clock_drift = life_.lease.clock_drift();
    seen.acl = settings.acl;
    const bool doubted = life_.containers_doubted && !life_.zookeeper_known;
    if (life_.containers_refused || doubted) seen.parent_mode = create_mode::persistent;
    seen.foreign_kinds = settings.foreign_kinds;
    seen.most_permits_watched = settings.watches.permits;
    seen.bytes_watched = life_.watched_bytes();
    seen.most_bytes_watched = settings.watches.bytes;
    seen.chroot = settings.chroot;
    seen.list = list;
    return seen;
}

// A contender waits for room in the window, and for its turn: removals of the session's own go ahead of it, since it would
// wait for these contenders in its queue.
bool contender_steps::may_enter(acquisition_id id) const {
    const auto* const connection = life_.attached();
    if (connection == nullptr) return false;
    if (connection->stay.now != stay::stage::settled && !life_.lease.is_ample()) return false;
    const auto& outside = life_.contenders.outside();
    return life_.epoch->window.has_room() && !life_.epoch->removals.crowded() &&
           connection->behind.empty() && (outside.empty() || id <= *outside.begin());
}

void contender_steps::execute_effects(acquisition_id id) {
    const effect_steps execute{life_, id};
    for (auto& effect : life_.effects) std::visit(execute, effect);
    life_.effects.clear();
}

void contender_steps::note_change(acquisition_id id, const contender& changed,
                                  std::size_t bytes_before) {
    const auto& value = changed.value;
    TURNSTILE_CHECK(!value.holds() || !value.waits());
    TURNSTILE_CHECK(!value.over() || !value.holds());
    if (changed.deadline && !value.waits()) life_.deadlines.remove(*changed.deadline, id);
    life_.clock.update(id, value.holds(), delay_end(value.current()));
    auto* connection = life_.attached();
    const bool first = life_.contenders.update(id, value, bytes_before, life_.latest_connection());
    if (first && connection != nullptr) connection->confirmations.first_needed(life_.now);
    const bool may_write = connection != nullptr && settled(value.current());
    if (value.over()) {
        life_.clock.forget(id);
        life_.contenders.erase(id);
    }
    if (may_write) life_.commits.hold_has_settled(id);
}

}  // namespace turnstile::core
