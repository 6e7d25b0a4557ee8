// SPDX-License-Identifier: Apache-2.0
#include "core/session/contender_steps.hpp"

#include <utility>
#include <variant>

#include "base/check.hpp"
#include "core/contender/contender_errors.hpp"
#include "core/contender/state_queries.hpp"
#include "core/session/session_errors.hpp"

namespace turnstile::core {

namespace {

using sending = session_traces::sending;

// Executes the effects of one event of a contender (contender_effects.hpp).
class effect_execution {
public:
    effect_execution(session_owners& owners, contender_id id) : owners_{owners}, id_{id} {}

    // ---- requests ----

    void operator()(contender_effects::submit_for_contender& wanted) const {
        owners_.requests.send_as(wanted.request.id, std::move(wanted.request.op),
                                 for_contender{id_}, owners_.basics);
    }

    // Sends the waiting removals first. Otherwise a contender that enters would wait behind contenders of this session
    // that have given up already.
    void operator()(contender_effects::enter& wanted) const {
        auto& requests = owners_.requests;
        creation entering{id_, wanted.id, std::move(wanted.znode)};
        if (requests.creations().gathers()) return requests.create_later(std::move(entering));
        contender_steps{owners_}.send_removals(sending::all);
        requests.create_alone(entering, owners_.basics);
    }

    void operator()(contender_effects::list& wanted) const {
        owners_.requests.list_for({id_, wanted.id}, std::move(wanted.folder), owners_.basics);
    }

    void operator()(contender_effects::remove& wanted) const {
        owners_.traces.remove_later(
            {id_, wanted.id, std::move(wanted.path), std::move(wanted.watched), wanted.awaited});
        contender_steps{owners_}.send_removals(sending::in_turn);
    }

    void operator()(const contender_effects::retry_later& /*wanted*/) const {
        owners_.requests.retry_later(owners_.basics.now);
    }

    // ---- watches ----

    void operator()(const contender_effects::number_known& known) const {
        contender_steps{owners_}.note_number(owners_.contenders.table().at(id_).folder(), known);
    }

    void operator()(const contender_effects::watch& wanted) const {
        owners_.traces.watch(wanted.path, id_);
    }

    void operator()(const contender_effects::unwatch& wanted) const {
        owners_.traces.unwatch(wanted.path, id_, owners_.basics);
    }

    void operator()(const contender_effects::unwatch_gone& wanted) const {
        owners_.traces.unwatch_gone(wanted.path, id_, owners_.basics);
    }

    // ---- effects that add a warning or change what the session knows ----

    void operator()(const contender_effects::warn_of_foreign& found) const {
        const auto& folder = owners_.contenders.table().at(id_).folder();
        if (owners_.contenders.is_first_mixed(folder))
            owners_.basics.actions.emplace_back(
                warning{foreign_kind(folder, found.ours, found.theirs)});
    }

    void operator()(const contender_effects::containers_unsupported& /*found*/) const {
        owners_.contenders.containers_unsupported();
    }

    void operator()(const contender_effects::parent_create_lost& /*found*/) const {
        owners_.contenders.parent_create_lost();
    }

    void operator()(const contender_effects::abandon& wanted) const {
        const auto& folder = owners_.contenders.table().at(id_).folder();
        // place: remembers_abandoned_create
        owners_.traces.abandon(folder, wanted.guid, owners_.basics.now,
                               owners_.link.session_lease().timeout());
    }

    void operator()(contender_effects::replace_session& wanted) const {
        owners_.link.replace(std::move(wanted.reason));
    }

    // ---- callers ----

    void operator()(const contender_effects::tell_busy& tried) const {
        const auto& folder = owners_.contenders.table().at(id_).folder();
        owners_.basics.actions.emplace_back(
            notice{id_, failed{busy_error(owners_, folder, tried.ahead, tried.predecessor)}});
    }

    void operator()(contender_effects::tell& told) const {
        if (static_cast<std::uint64_t>(id_) >= k_first_leftover) return;
        if (auto* const grant = std::get_if<granted>(&told.event)) {
            TURNSTILE_CHECK(owners_.link.session_lease().valid(owners_.basics.now));
            // place: max_hold_from_the_grant
            grant->until = owners_.contenders.granted(id_, owners_.basics.now);
        }
        if (const auto* const over = std::get_if<lost>(&told.event))
            owners_.commits.hold_was_lost(id_, over->why);
        owners_.basics.actions.emplace_back(notice{id_, std::move(told.event)});
    }

private:
    session_owners& owners_;
    const contender_id id_;
};

}  // namespace

// ---- requests of callers --------------------------------------------------------------------

void contender_steps::acquire(const core::acquire& request) {
    const auto why = owners_.epochs.refused();
    if (why) {  // place: refuses_after_close
        owners_.basics.actions.emplace_back(notice{request.id, failed{*why}});
        owners_.basics.actions.emplace_back(notice{request.id, gone{}});
        return;
    }
    owners_.contenders.add(request, owners_.basics);
    with(request.id, [](contender_core& added, contender_session& c) { added.start(c); });
}

void contender_steps::leave(const core::leave& request) {
    if (release_later(request)) return;
    with(request.id,
         [&request](contender_core& left, contender_session& c) { left.leave(c, request.why); });
}

// Postpones the release while guarded writes (commits) of the hold are in progress: if a commit's answer is lost, its
// outcome can be found only while the hold's znode exists.
bool contender_steps::release_later(const core::leave& request) {
    if (!owners_.commits.has_writes(request.id)) return false;
    const auto* const found = owners_.contenders.table().find(request.id);
    if (found == nullptr || !found->value.holds()) return false;
    owners_.commits.release_later(request);
    return true;
}

void contender_steps::leave(const core::leave_together& request) {
    owners_.traces.gather_removals(true);
    for (const auto id : request.all) leave(core::leave{id, request.why});
    owners_.traces.gather_removals(false);
    send_removals(sending::all);
}

void contender_steps::cancel(contender_id id, const error& why) {
    with(id, [&why](contender_core& cancelled, contender_session& c) {
        if (cancelled.waits()) cancelled.leave(c, why);
    });
}

void contender_steps::rename(const core::rename& request) {
    with(request.id,
         [&request](contender_core& hold, contender_session& c) { hold.rename(c, request.kind); });
}

// ---- messages of the servers ----------------------------------------------------------------

void contender_steps::on_reply(contender_id id, const reply& answer, prepared_list* list) {
    with(
        id, [&answer](contender_core& asker, contender_session& c) { asker.on_reply(c, answer); },
        list);
}

void contender_steps::on_watch(const watch_event& event) {
    const auto interested = owners_.traces.fired(event, owners_.basics);
    // place: event_for_those_interested
    for (const auto id : interested)
        // place: event_for_each
        with(id,
             [&event](contender_core& waiter, contender_session& c) { waiter.on_watch(c, event); });
}

void contender_steps::remove_abandoned(const std::string& folder,
                                       const std::vector<std::string>& children) {
    for (const auto& name : owners_.traces.found_abandoned(folder, children))
        with(owners_.contenders.add_leftover(folder, name, owners_.basics.now),
             [](contender_core& leftover, contender_session& c) { leftover.start(c); });
}

// ---- deadlines, ends of time limits, and writes that extend the lease -----------------------

void contender_steps::expire(contender_id id) {
    if (const auto* late = owners_.contenders.table().find(id))
        cancel(id, deadline_error(owners_, late->value));
}

// Notifies the holder of the loss before the session sends the removal of the znode. From this instant on the holder's
// guard is invalid.
void contender_steps::end_long_holds() {
    while (const auto id = owners_.contenders.take_ended(owners_.basics.now)) {
        const error why{errc::held_too_long, owners_.contenders.table().at(*id).folder()};
        // place: max_hold_revokes
        with(*id, [&why](contender_core& hold, contender_session& c) { hold.revoke(c, why); });
    }
}

void contender_steps::end_delays() {
    while (const auto id = owners_.contenders.clock().delay_over(owners_.basics.now))
        with(*id, [](contender_core& waiter, contender_session& c) { waiter.on_delay_end(c); });
}

void contender_steps::look_again() {
    const auto look = [](contender_core& waiter, contender_session& c) { waiter.look_again(c); };
    auto& contenders = owners_.contenders;
    contenders.begin_looks(owners_.basics.now);
    for (const auto id : contenders.take_in_line()) {
        note_wait_for_own_hold(owners_, id);
        with(id, look);
    }
    for (const auto id : contenders.take_further_back()) with(id, look);
}

void contender_steps::watch_own_znodes(id_set ids) {
    with_some(ids, [](contender_core& own, contender_session& c) { own.watch_own_znode(c); });
}

// A confirmation is a transaction (multi) that checks one znode and extends the lease. Because it is a transaction, its
// answer proves that the server has a majority and that the session exists. It changes nothing, and shows whether the
// znode still exists.
void contender_steps::confirm() {
    auto& contenders = owners_.contenders;
    const auto next = contenders.begin_confirmation(owners_.basics.now);
    if (!next) return;
    watch_own_znodes(contenders.table().unwatched());
    const auto& contender = contenders.table().at(*next);
    const auto znode = contender.znode();
    const auto version =
        needs_confirmation(contender.current()) ? version_in(contender.current()) : k_any_version;
    // place: confirming_write
    contenders.confirmation_sent(owners_.requests.send(
        multi_op{{check_op{znode, version}}}, for_confirmation{*next, znode}, owners_.basics));
}

// ---- continuing on a new connection, or after a pause ---------------------------------------

// Each waiting contender lists its folder again. The requests of a thousand waiters would delay the next confirmation,
// a write that extends the lease. So only as many waiters continue at once as the request window allows
// (request_window.hpp).
void contender_steps::go_on() {
    TURNSTILE_CHECK(owners_.link.attached());
    const auto& all = owners_.contenders.table().all();
    for (auto at = all.begin(); at != all.end();) {
        const auto& [id, entry] = *at++;  // `with` may erase this entry, and no other
        const bool waits = waits_in_line(entry.value.current());
        if (waits && !owners_.requests.has_room()) {
            owners_.contenders.stay_behind(id);
        } else {
            with(id, [](contender_core& each, contender_session& c) { each.on_attached(c); });
        }
    }
}

// ---- several removals in one transaction -----------------------------------------------------

void contender_steps::send_removals(sending which) {
    while (owners_.traces.has_removals(which))
        remove_together(owners_.traces.take_removals(owners_.basics));
}

void contender_steps::remove_together(std::vector<removal>&& all) {
    const auto& contenders = owners_.contenders.table();
    std::erase_if(all, [&](const removal& removed) {
        if (contenders.find(removed.contender) != nullptr) return false;
        owners_.traces.removal_over(removed);
        return true;
    });
    if (all.empty()) return;
    TURNSTILE_CHECK(owners_.link.attached());
    const auto id = all.size() == 1 ? all.front().id : owners_.basics.tickets.take();
    owners_.traces.removal_sent(id);
    auto op = removal_request(all);
    owners_.requests.send_as(id, std::move(op), for_removals{std::move(all)}, owners_.basics);
}

// ---- folders in which the next contender is perhaps the only one ----------------------------

void contender_steps::note_number(const std::string& folder,
                                  const contender_effects::number_known& known) {
    using step = contender_effects::number_step;
    auto& traces = owners_.traces;
    switch (known.step) {
        case step::entered:
            if (traces.number_entered(folder, known.of, known.number, owners_.basics))
                watch_folder(folder);
            return;
        case step::leaves:
            if (numbers_count_creates())
                traces.number_leaves(folder, known.of, known.number, owners_.basics);
            return;
        case step::left: traces.number_left(folder, known.of, known.number); return;
    }
}

// Sends a get request, not an exists request, because a get request sets the watch only if the folder exists and the
// session may read it. A session that may not read the folder would get no event.
void contender_steps::watch_folder(const std::string& folder) {
    // The paths that a session watches have a limit in bytes. Watches on folders may use half of this limit. The other
    // half is for the watches of contenders.
    const auto most = owners_.settings.watches.bytes / 2;
    if (owners_.traces.watched_bytes() + folder.size() > most) return;
    owners_.traces.folder_watch_sent(
        folder, owners_.requests.send(get_op{folder, watch_mode::watch}, for_folder_watch{folder},
                                      owners_.basics));
}

bool contender_steps::numbers_count_creates() const {
    return owners_.settings.numbers_count_creates && owners_.link.is_zookeeper();
}

// ---- each event of a contender -----------------------------------------------------------

// Returns the part of the session's state that the contender sees while it handles an event. Holds do not need the
// lease, the permission to enter and the room for watches, so the function fills in these three only for waiters.
contender_view contender_steps::view_of(contender_id id, const contender_entry& of,
                                        prepared_list* list) const {
    const auto& link = owners_.link;
    const auto& requests = owners_.requests;
    const auto& traces = owners_.traces;
    const auto& settings = owners_.settings;
    const auto& lease = link.session_lease();
    contender_view seen;
    seen.attached = link.attached();
    seen.connection = link.connection();
    seen.now = owners_.basics.now;
    seen.session_id = link.session_id();
    if (seen.attached && of.value.waits()) {
        // Removals of this session that wait to be sent go first. Otherwise the new contenders would queue behind the
        // znodes that these removals delete. A contender waits to share a transaction only at ZooKeeper's servers,
        // because other servers execute the creates of a transaction one by one, and a wait would gain nothing. (The
        // contenders of one acquire_together message share a transaction at any server.)
        const bool waits = numbers_count_creates() && !requests.creations().is_open();
        seen.may_enter = owners_.placement.lets_in(lease) && requests.has_room() && !waits &&
                         !traces.is_crowded() && owners_.contenders.is_next(id);
        seen.lease_lasts = link.pace().lasts(lease, seen.now);
        seen.unseen_for = link.pace().unseen_for(lease);
        seen.bytes_watched = traces.watched_bytes();
        if (has_come(owners_.placement.no_lease(lease), seen.now))
            seen.no_lease = error{errc::lease_too_short, owners_.placement.short_lease(lease)};
    }
    if (seen.attached && enters(of.value.current()) && numbers_count_creates()) {
        const auto of_family = family(of.value.kind());
        seen.omits_list = traces.sole().omits_list(of.value.folder(), of_family);
        seen.sole_number = traces.sole().sole_number(of.value.folder(), of_family);
    }
    seen.clock_drift = lease.clock_drift();
    seen.acl = settings.acl;
    seen.parent_mode = owners_.contenders.parent_mode(link.is_zookeeper());
    seen.foreign_kinds = settings.foreign_kinds;
    seen.most_permits_watched = settings.watches.permits;
    seen.most_bytes_watched = settings.watches.bytes;
    seen.chroot = settings.chroot;
    seen.list = list;
    return seen;
}

void contender_steps::execute_effects(contender_id id) {
    const effect_execution execute{owners_, id};
    for (auto& effect : owners_.effects) std::visit(execute, effect);
    owners_.effects.clear();
}

}  // namespace turnstile::core
