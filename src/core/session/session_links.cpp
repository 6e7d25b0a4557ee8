// SPDX-License-Identifier: Apache-2.0
// session_core: how its links to the servers come and go, and its epochs with them.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "core/session/session_context.hpp"

namespace turnstile::core {

namespace {

// The servers keep an old session for one time-out and two ticks, and seldom so many come in that time.
constexpr std::size_t k_most_left = 16;

}  // namespace

void session_core::handle(const start&) {
    open();
}

void session_core::open() {
    reopen_at_.reset();
    ++epoch_;
    open_ = true;
    short_lease_told_ = false;
    throttling_told_ = false;
    lease_.opening(now_);
    heard_ = now_;
    actions_.emplace_back(open_session{epoch_});
}

void session_core::handle(const open_failed& what) {
    if (what.epoch != epoch_ || closing_) return;
    open_ = false;
    not_opened_ = what.why;
    reopen_at_ = now_ + reopening_.next(chance_);
}

// What was certain before is so no more, and what the session answers afterwards proves nothing about it.
void session_core::handle(const clock_stepped& what) {
    if (!open_ || closing_) return;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(what.ahead).count();
    replace_ = "the wall clock went ahead by " + std::to_string(ms) +
               " ms: this machine may have stood still";
}

void session_core::handle(const from_session& what) {
    if (what.epoch != epoch_ || !open_) return;  // place: event_of_this_epoch
    std::visit([this](const auto& one) { handle(one); }, what.event);
}

void session_core::handle(const link_event& what) {
    switch (what.kind) {
        case link_kind::attached: not_opened_.reset(); return attach(what);
        case link_kind::attached_read_only:
            detach();
            server_ = what.server;
            role_ = server_role::read_only;
            if (!closing_)
                enter(session_state::read_only, "attached to a server cut off from its majority");
            return;
        case link_kind::detached:
            detach();
            if (state_ == session_state::connected || state_ == session_state::read_only)
                enter(session_state::suspended, "the connection is gone");
            return;
        case link_kind::role_known:
            if (what.connection != connection_) return;
            role_ = what.role;
            lease_.role_known(what.connection, what.role, now_);
            if (role_ != server_role::unknown) warn_of_short_lease();
            return;
        case link_kind::expired:
            return end_epoch({errc::session_lost, "the servers expired the session"},
                             close_session::how::abandon);
        case link_kind::auth_failed: return refuse_for_good(errc::auth_failed);
    }
}

void session_core::attach(const link_event& what) {
    if (session_id_ != 0 && what.session_id != session_id_) {  // place: another_session
        return end_epoch({errc::session_lost, "the servers gave another session id at a reconnect"},
                         close_session::how::orderly);
    }
    lease_.attached(what.connection, what.timeout, now_);
    // The leader may have doomed it before, and would answer all the same.
    if (!lease_.valid(now_) && !closing_) {  // place: lease_over_at_attach
        return end_epoch({errc::session_lost,
                          "the session came back when its lease was over: a new one is opened"},
                         close_session::how::orderly);
    }
    session_id_ = what.session_id;
    connection_ = what.connection;
    server_ = what.server;
    role_ = what.role;
    attached_ = true;
    attached_at_ = looked_at_ = now_;
    heard_ = now_;
    last_sent_ = now_;
    lease_.role_known(what.connection, what.role, now_);
    reopening_.reset();
    if (!closing_) enter(session_state::connected, "attached to " + what.server);
    if (role_ != server_role::unknown) warn_of_short_lease();

    retry_at_.reset();
    throttled_ = false;
    throttling_.reset();
    confirming_now_.reset();
    searching_.reset();
    confirm_from_ = confirmed_at_ = now_ - confirm_interval();  // at once
    for (const auto& path : std::exchange(forget_later_, {}))
        actions_.emplace_back(forget_watches{path});
    watch_own_znodes(holding_);
    // place: waiting_removals_go_on
    removals_.reattached();
    send_removals(sending::all);  // ahead of who enters
    // What became of a commit can only be found out while the znode of its hold stands.
    with_all_writes([](guarded_writes& some, write_context& c) { some.on_attached(c); });
    with_all([](acquisition& one, acquisition_context& c) { one.on_attached(c); });
    for (auto& [who, one] : asked_) send_inquiry(who, one);
    on_time(now_);
}

void session_core::detach() {
    if (!attached_) return;
    attached_ = false;
    lease_.detached();
    server_.clear();
    role_ = server_role::unknown;
    with_all([](acquisition& one, acquisition_context& c) { one.on_detached(c); });
}

void session_core::end_epoch(const error& why, close_session::how manner) {
    const bool was_there = session_id_ != 0;
    attached_ = false;
    open_ = false;
    if (session_id_ != 0) left_.push_back(session_id_);
    if (left_.size() > k_most_left) left_.erase(left_.begin());
    session_id_ = 0;
    connection_ = 0;
    server_.clear();
    role_ = server_role::unknown;
    confirming_now_.reset();
    searching_.reset();
    pending_.clear();
    lists_.clear();
    removals_.clear();
    watches_.clear();
    forget_later_.clear();
    abandoned_.clear();
    for (auto& [who, one] : asked_) one.under_way = false;
    end_commits(why);
    // place: tells_lost_first
    if (was_there && !closing_) enter(session_state::lost, why.message());
    // Holders are told before the session is closed, and somebody else granted.
    with_all([&why](acquisition& one, acquisition_context& c) { one.on_epoch_end(c, why); });
    actions_.emplace_back(close_session{manner});
    if (closing_ || refusal_) return;
    enter(session_state::connecting, "opening a new session");  // place: opens_another_session
    reopen_at_ = now_ + reopening_.next(chance_);
}

void session_core::refuse_for_good(const error& why) {
    refusal_ = why;
    if (!closing_) enter(session_state::auth_failed, why.message());
    with_all([&why](acquisition& one, acquisition_context& c) { one.revoke(c, why); });
    for (const auto& [who, one] : std::exchange(asked_, {})) {
        actions_.emplace_back(answer{who, why});
        if (one.deadline) deadlines_.erase({*one.deadline, who});
    }
    end_epoch(why, close_session::how::abandon);
}

void session_core::enter(session_state next, const std::string& reason) {
    if (state_ == next || state_ == session_state::closed) return;
    if (state_ == session_state::auth_failed && next != session_state::closed) return;
    actions_.emplace_back(changed{{settings_.index, epoch_, state_, next}, reason});
    state_ = next;
}

void session_core::handle(const close&) {
    if (closing_) return;
    closing_ = true;
    reopen_at_.reset();
    const error why{errc::closed};
    enter(session_state::closed, "close() was called");
    // place: close_revokes_all
    with_all([&why](acquisition& one, acquisition_context& c) { one.revoke(c, why); });
    for (const auto& [who, one] : std::exchange(asked_, {})) {
        actions_.emplace_back(answer{who, why});
        if (one.deadline) deadlines_.erase({*one.deadline, who});
    }
    // With no session there is nothing at the servers that could be removed.
    if (!open_) handle(session_closed{});
}

void session_core::handle(const session_closed&) {
    attached_ = false;
    open_ = false;
    pending_.clear();
    lists_.clear();
    removals_.clear();
    watches_.clear();
    const error why{errc::closed};
    end_commits(why);
    // place: closed_session_ends_all
    with_all([&why](acquisition& one, acquisition_context& c) { one.on_epoch_end(c, why); });
}

}  // namespace turnstile::core
