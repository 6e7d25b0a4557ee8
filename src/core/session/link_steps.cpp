// SPDX-License-Identifier: Apache-2.0
#include "core/session/link_steps.hpp"

#include <chrono>
#include <utility>

#include "base/check.hpp"
#include "core/session/commit_steps.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/due_times.hpp"
#include "core/session/placement_steps.hpp"
#include "core/session/request_steps.hpp"
#include "core/session/silence_steps.hpp"

namespace turnstile::core {

namespace {

// The servers keep an old session for one time-out and two ticks, and seldom so many come in that time.
constexpr std::size_t k_most_past_sessions = 16;

}  // namespace

// ---- epochs ---------------------------------------------------------------------------------

void link_steps::open() {
    TURNSTILE_CHECK(!life_.epoch);
    life_.reopen_at.reset();
    ++life_.epochs;
    life_.epoch.emplace(life_.now, life_.settings.removals, life_.settings.window);
    life_.lease.opening(life_.now);
    life_.actions.emplace_back(open_session{life_.epochs});
}

void link_steps::on_open_failed(const open_failed& failure) {
    if (failure.epoch != life_.epochs || life_.closing) return;
    TURNSTILE_CHECK(!life_.attached());
    life_.epoch.reset();
    life_.not_opened = failure.why;
    life_.reopen_at = life_.now + life_.reopening.draw(life_.chance);
}

// What was certain before is so no more, and what the session answers afterwards proves nothing about it.
void link_steps::on_clock_stepped(const clock_stepped& step) {
    if (!life_.epoch || life_.closing) return;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(step.ahead).count();
    life_.epoch->replacement = "the wall clock went ahead by " + std::to_string(ms) +
                               " ms: this machine may have stood still";
}

// All that belongs to the session ends here.
void link_steps::leave_session() {
    if (life_.session_id() != 0) life_.past_sessions.push_back(life_.session_id());
    if (life_.past_sessions.size() > k_most_past_sessions)
        life_.past_sessions.erase(life_.past_sessions.begin());
    life_.earlier_connections = life_.connections();
    life_.epoch.reset();
    life_.inquiries.all_lost();
}

// The commits first: what became of them is told before their holds are lost.
void link_steps::end_epoch(const error& why, close_session::how manner) {
    const bool was_there = life_.session_id() != 0;
    leave_session();
    commit_steps{life_}.end(why);
    // place: tells_lost_first
    if (was_there && !life_.closing) enter(session_state::lost, why.message());
    // Holders are told before the session is closed, and another contender granted.
    contender_steps{life_}.with_all(
        [&why](acquisition& each, contender_session& c) { each.on_epoch_end(c, why); });
    life_.actions.emplace_back(close_session{manner});
    if (life_.refused()) return;
    // place: opens_another_session
    enter(session_state::connecting, "opening a new session");
    life_.reopen_at = life_.now + life_.reopening.draw(life_.chance);
}

void link_steps::replace_if_needed() {
    if (!life_.epoch || !life_.epoch->replacement) return;
    const auto why = *life_.epoch->replacement;
    end_epoch({errc::session_lost, "a new one is opened, because " + why},
              close_session::how::orderly);
}

// ---- connections ----------------------------------------------------------------------------

bool link_steps::on_link(const link_event& event) {
    TURNSTILE_CHECK(life_.epoch);
    switch (event.kind) {
        case link_kind::attached: life_.not_opened.reset(); return attach(event);
        case link_kind::attached_read_only: attach_read_only(event); break;
        case link_kind::detached:
            detach();
            if (life_.state == session_state::connected || life_.state == session_state::read_only)
                enter(session_state::suspended, "the connection is gone");
            break;
        case link_kind::role_known: learn_role(event); break;
        case link_kind::leader_not_found: placement_steps{life_}.stay_here(event); break;
        case link_kind::found_elsewhere: silence_steps{life_}.found_elsewhere(event); break;
        case link_kind::expired:
            end_epoch({errc::session_lost, "the servers expired it"}, close_session::how::abandon);
            break;
        case link_kind::auth_failed: refuse_for_good(errc::auth_failed); break;
    }
    return false;
}

bool link_steps::attach(const link_event& event) {
    auto& epoch = *life_.epoch;
    TURNSTILE_CHECK(!life_.attached());
    TURNSTILE_CHECK(event.connection > epoch.latest_connection);
    // place: another_session
    if (epoch.session_id != 0 && event.session_id != epoch.session_id) {
        end_epoch({errc::session_lost, "the servers gave another id at a reconnect"},
                  close_session::how::orderly);
        return false;
    }
    life_.lease.attached(event.connection, event.timeout, life_.now);
    // The leader may have doomed it before, and would answer all the same.
    if (!life_.lease.valid(life_.now) && !life_.closing) {  // place: lease_over_at_attach
        end_epoch(
            {errc::session_lost, "its lease had ended when it reconnected; a new one is opened"},
            close_session::how::orderly);
        return false;
    }
    epoch.session_id = event.session_id;
    epoch.latest_connection = event.connection;
    epoch.heard_at = life_.now;
    life_.silence.attached(life_.now);
    epoch.link = server_connection{event.connection,
                                   event.server,
                                   server_role::unknown,
                                   life_.now,
                                   life_.now,
                                   {life_.settings.retry_first, life_.settings.retry_longest},
                                   {life_.now, life_.confirm_interval()}};
    life_.looks.begin(life_.now);
    life_.reopening.reset();
    if (!life_.closing) enter(session_state::connected, "attached to " + event.server);
    placement_steps{life_}.begin(event);
    go_on_attached();
    return true;
}

void link_steps::go_on_attached() {
    TURNSTILE_CHECK(life_.attached());
    auto& epoch = *life_.epoch;
    request_steps requests{life_};
    contender_steps contenders{life_};
    for (const auto& path : epoch.watches.take_given_back())
        life_.actions.emplace_back(forget_watches{path});
    contenders.watch_own_znodes(life_.contenders.holding());
    epoch.window.reattached();
    epoch.removals.reattached();                              // place: waiting_removals_go_on
    requests.send_removals(request_steps::sending::in_turn);  // ahead of contenders that enter
    // Commits first: a commit's outcome can be found out only while the znode of the commit's hold exists, and the
    // contenders may remove that znode.
    commit_steps{life_}.on_attached();
    contenders.go_on();
    requests.send_inquiries();
}

void link_steps::attach_read_only(const link_event& event) {
    detach();
    life_.epoch->link = read_only_server{event.server};
    if (!life_.closing)
        enter(session_state::read_only, "connected to a server that is cut off from its majority");
}

void link_steps::detach() {
    const bool was_attached = life_.attached() != nullptr;
    life_.epoch->link = no_server{};
    if (!was_attached) return;
    life_.lease.detached();
    contender_steps{life_}.with_all(
        [](acquisition& each, contender_session& c) { each.on_detached(c); });
}

// May come when the connection is gone again.
void link_steps::learn_role(const link_event& event) {
    if (event.connection != life_.latest_connection()) return;
    life_.zookeeper_known = !event.foreign;
    if (life_.attached()) {
        placement_steps{life_}.learn(event);
    } else if (life_.settings.roles_trusted) {
        life_.lease.role_known(event.connection, event.role, life_.now);
    }
}

// ---- states, and the end --------------------------------------------------------------------

void link_steps::enter(session_state next, const std::string& reason) {
    auto& state = life_.state;
    if (state == next || state == session_state::closed) return;
    if (state == session_state::auth_failed && next != session_state::closed) return;
    TURNSTILE_CHECK(next != session_state::connected || life_.attached());
    TURNSTILE_CHECK(next != session_state::suspended || !life_.attached());
    TURNSTILE_CHECK(next != session_state::connecting || !life_.epoch);
    TURNSTILE_CHECK(next != session_state::read_only || life_.epoch);
    TURNSTILE_CHECK(next != session_state::closed || life_.closing);
    TURNSTILE_CHECK(next != session_state::auth_failed || life_.refusal);
    life_.actions.emplace_back(changed{{life_.settings.index, life_.epochs, state, next}, reason});
    state = next;
}

void link_steps::answer_inquiries(const error& why) {
    for (const auto& [id, inquiry] : life_.inquiries.take_all()) {
        life_.actions.emplace_back(answer{id, why});
        if (inquiry.deadline) life_.deadlines.remove(*inquiry.deadline, id);
    }
}

void link_steps::refuse_for_good(const error& why) {
    TURNSTILE_CHECK(!life_.refusal);
    life_.refusal = why;
    if (!life_.closing) enter(session_state::auth_failed, why.message());
    contender_steps{life_}.with_all(
        [&why](acquisition& each, contender_session& c) { each.revoke(c, why); });
    answer_inquiries(why);
    end_epoch(why, close_session::how::abandon);
}

void link_steps::close() {
    if (life_.closing) return;
    life_.closing = true;
    life_.reopen_at.reset();
    const error why{errc::closed};
    enter(session_state::closed, "close() was called");
    // place: close_revokes_all
    contender_steps{life_}.with_all(
        [&why](acquisition& each, contender_session& c) { each.revoke(c, why); });
    answer_inquiries(why);
    // With no session, or one that has ended there, nothing at the servers could be removed.
    if (!life_.epoch || due::has_come(due::end_while_closing(life_), life_)) on_closed();
}

void link_steps::on_closed() {
    const error why{errc::closed};
    leave_session();
    commit_steps{life_}.end(why);
    // place: closed_session_ends_all
    contender_steps{life_}.with_all(
        [&why](acquisition& each, contender_session& c) { each.on_epoch_end(c, why); });
}

}  // namespace turnstile::core
