// SPDX-License-Identifier: Apache-2.0
#include "core/session/link_steps.hpp"

#include <chrono>

#include "base/check.hpp"
#include "base/duration_text.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/data_call_steps.hpp"
#include "core/session/due_times.hpp"

namespace turnstile::core {

// ---- sessions at the servers (epochs) -------------------------------------------------------

void link_steps::open() {
    owners_.epochs.open(owners_.basics);
    owners_.link.open(owners_.basics.now);
    owners_.requests.open();
    owners_.traces.open();
}

void link_steps::on_open_failed(const open_failed& failure) {
    if (!owners_.epochs.on_open_failed(failure, owners_.basics)) return;
    TURNSTILE_CHECK(!owners_.link.attached());
    owners_.link.leave();
    owners_.requests.leave();
    owners_.traces.leave();
}

// Replaces the session: the machine may have been paused, so the lease may have ended. After the end of the lease,
// answers of the session prove nothing.
void link_steps::on_clock_stepped(const clock_stepped& step) {
    if (!owners_.link.has_epoch() || owners_.epochs.closing()) return;
    const auto ahead = std::chrono::duration_cast<std::chrono::milliseconds>(step.ahead);
    owners_.link.replace("the wall clock went ahead by " + base::duration_text(ahead) +
                         ": this machine may have been paused");
}

void link_steps::leave_session() {
    owners_.epochs.leave(owners_.link.session_id(), owners_.link.connection());
    owners_.link.leave();
    owners_.placement.leave();
    owners_.requests.leave();
    owners_.traces.leave();
    owners_.inquiries.all_lost();
    owners_.contenders.leave();
}

// Ends the guarded writes (commits) first, so that their callers get the outcomes before the holds are lost.
void link_steps::end_epoch(const error& why, close_session::how manner) {
    const bool was_there = owners_.link.session_id() != 0;
    leave_session();
    commit_steps{owners_}.end(why);
    // place: tells_lost_first
    if (was_there && !owners_.epochs.closing()) enter(session_state::lost, why.message());
    // Notifies the holders before the session is closed, since other contenders can get the locks when the session
    // ends.
    contender_steps{owners_}.with_all(
        [&why](contender_core& each, contender_session& c) { each.on_epoch_end(c, why); });
    owners_.basics.actions.emplace_back(close_session{manner});
    if (owners_.epochs.refused()) return;
    // place: opens_another_session
    enter(session_state::connecting, "opening a new session");
    owners_.epochs.reopen_later(owners_.basics);
}

void link_steps::replace_if_needed() {
    const auto* const why = owners_.link.replacement();
    if (why == nullptr) return;
    end_epoch({errc::session_lost, "a new session is opened, because " + *why},
              close_session::how::orderly);
}

// ---- connections ----------------------------------------------------------------------------

bool link_steps::on_link(const link_event& event) {
    const auto state = owners_.epochs.state();
    switch (event.kind) {
        case link_kind::attached: return attach(event);
        case link_kind::attached_read_only: attach_read_only(event); break;
        case link_kind::detached:
            detach();
            if (state == session_state::connected || state == session_state::read_only)
                enter(session_state::suspended, "the connection is gone");
            break;
        case link_kind::role_known: learn_role(event); break;
        case link_kind::leader_not_found:
            owners_.placement.stay_here(event, owners_.link.session_lease(), owners_.basics);
            break;
        case link_kind::found_elsewhere: found_elsewhere(event); break;
        case link_kind::expired:
            end_epoch({errc::session_lost, "the servers expired the session"},
                      close_session::how::abandon);
            break;
        case link_kind::auth_failed: refuse_for_good(errc::auth_failed); break;
    }
    return false;
}

bool link_steps::attach(const link_event& event) {
    auto& link = owners_.link;
    auto& basics = owners_.basics;
    const bool closing = owners_.epochs.closing();
    owners_.epochs.found_server();
    if (const auto why = link.attach(event, closing, basics.now)) {
        end_epoch(*why, close_session::how::orderly);
        return false;
    }
    owners_.epochs.attached();
    if (!closing) enter(session_state::connected, "attached to " + event.server);
    owners_.placement.attach(event, link.session_lease(), closing, basics);
    owners_.requests.attach(event.connection, link.confirm_interval(), basics);
    owners_.traces.attach(basics);
    owners_.contenders.attach(basics.now, link.confirm_interval());
    go_on_attached();
    return true;
}

void link_steps::attach_read_only(const link_event& event) {
    detach();
    owners_.link.attach_read_only(event);
    if (!owners_.epochs.closing())
        enter(session_state::read_only, "connected to a server that is cut off from its majority");
}

void link_steps::learn_role(const link_event& event) {
    if (owners_.link.learn_role(event, owners_.basics.now))
        owners_.placement.learn(event, owners_.link.session_lease(), owners_.epochs.closing(),
                                owners_.basics);
}

void link_steps::go_on_attached() {
    contender_steps contenders{owners_};
    contenders.watch_own_znodes(owners_.contenders.table().holding());
    owners_.requests.begin_again();
    owners_.traces.removals_go_on();
    contenders.send_removals(session_traces::sending::in_turn);
    // Continues the commits before the contenders, because a contender may remove its znode. The outcome of a hold's
    // commit can be found only while the hold's znode exists.
    commit_steps{owners_}.on_attached();
    contenders.go_on();
    inquiry_steps{owners_}.send_all();
}

void link_steps::detach() {
    owners_.placement.detach();
    owners_.requests.detach();
    owners_.traces.detach();
    owners_.contenders.detach();
    if (!owners_.link.detach()) return;
    contender_steps{owners_}.with_all(
        [](contender_core& each, contender_session& c) { each.on_detached(c); });
}

void link_steps::enter(session_state next, const std::string& reason) {
    if (!owners_.epochs.enter(next, reason, owners_.basics)) return;
    TURNSTILE_CHECK(next != session_state::connected || owners_.link.attached());
    TURNSTILE_CHECK(next != session_state::suspended || !owners_.link.attached());
    TURNSTILE_CHECK(next != session_state::connecting || !owners_.link.has_epoch());
    TURNSTILE_CHECK(next != session_state::read_only || owners_.link.has_epoch());
}

// ---- the choice of the server ---------------------------------------------------------------

void link_steps::look_elsewhere() {
    owners_.requests.look_elsewhere(owners_.basics, lease_outlives_move());
}

void link_steps::found_elsewhere(const link_event& event) {
    const auto& link = owners_.link;
    if (!link.attached() || link.connection() != event.connection) return;
    if (owners_.epochs.closing()) return;
    auto& basics = owners_.basics;
    if (!owners_.requests.may_leave_server(basics.now, link.session_lease().timeout())) return;
    if (!lease_outlives_move()) return;
    owners_.requests.leave_server(basics);  // place: silent_server_is_left
}

// The move must end before the lease does, because on the next connection the client replaces a session without a valid
// lease.
bool link_steps::lease_outlives_move() const {
    const auto& lease = owners_.link.session_lease();
    return !owners_.contenders.have_stakes() ||
           lease.valid(owners_.basics.now + owners_.requests.silence_limit(lease.timeout()));
}

// ---- the end of the session ------------------------------------------------------------------

void link_steps::revoke_all(const error& why) {
    // place: close_revokes_all
    contender_steps{owners_}.with_all(
        [&why](contender_core& each, contender_session& c) { each.revoke(c, why); });
    inquiry_steps{owners_}.fail_all(why);
}

void link_steps::refuse_for_good(const error& why) {
    owners_.epochs.refuse_for_good(why);
    if (!owners_.epochs.closing()) enter(session_state::auth_failed, why.message());
    revoke_all(why);
    end_epoch(why, close_session::how::abandon);
}

void link_steps::close() {
    if (owners_.epochs.closing()) return;
    owners_.epochs.close();
    const error why{errc::closed};
    enter(session_state::closed, "close() was called");
    revoke_all(why);
    // Closes at once if no znode is left to remove: there is no session, or the servers have ended it.
    const auto end = due::end_while_closing(owners_);
    if (!owners_.link.has_epoch() || has_come(end, owners_.basics.now)) on_closed();
}

void link_steps::on_closed() {
    const error why{errc::closed};
    leave_session();
    commit_steps{owners_}.end(why);
    // place: closed_session_ends_all
    contender_steps{owners_}.with_all(
        [&why](contender_core& each, contender_session& c) { each.on_epoch_end(c, why); });
}

}  // namespace turnstile::core
