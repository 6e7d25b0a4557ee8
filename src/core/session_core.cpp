#include "core/session_core.hpp"

#include <algorithm>
#include <utility>

#include "core/session_context.hpp"

namespace turnstile::core {

session_core::session_core(session_core_settings settings)
    : settings_{std::move(settings)},
      chance_{settings_.chance},
      reopening_{settings_.retry_first, settings_.retry_longest},
      lease_{settings_.lease},
      removals_{settings_.removals_under_way} {}

void session_core::on(const input& what, time_point now) {
    // The lease is judged first: what comes too late does not bring a lost hold back.
    now_ = std::max(now_, now);
    end_lease_if_over();
    std::visit([this](const auto& one) { take_in(one); }, what);
    finish();
}

// What an acquisition may not do to its session in the middle of a call.
void session_core::finish() {
    fail_hopeless();
    if (!replace_) return;
    const auto why = *std::exchange(replace_, std::nullopt);
    end_epoch({errc::session_lost, "the session was replaced: " + why},
              close_session::how::orderly);
}

// ---- links and epochs -----------------------------------------------------------------------

void session_core::take_in(const start&) {
    open();
}

void session_core::open() {
    reopen_at_.reset();
    ++epoch_;
    open_ = true;
    short_lease_told_ = false;
    lease_.opening(now_);
    heard_ = now_;
    actions_.emplace_back(open_session{epoch_});
}

void session_core::take_in(const open_failed& what) {
    if (what.epoch != epoch_ || closing_) return;
    open_ = false;
    reopen_at_ = now_ + reopening_.next(chance_);
}

void session_core::take_in(const from_session& what) {
    if (what.epoch != epoch_ || !open_) return;
    std::visit([this](const auto& one) { take_in(one); }, what.event);
}

void session_core::take_in(const link_event& what) {
    switch (what.kind) {
        case link_kind::attached: return attach(what);
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
    if (session_id_ != 0 && what.session_id != session_id_) {
        return end_epoch({errc::session_lost, "the servers gave another session id at a reconnect"},
                         close_session::how::orderly);
    }
    session_id_ = what.session_id;
    connection_ = what.connection;
    server_ = what.server;
    role_ = what.role;
    attached_ = true;
    attached_at_ = now_;
    heard_ = now_;
    last_sent_ = now_;
    lease_.attached(what.connection, what.timeout);
    lease_.role_known(what.connection, what.role, now_);
    reopening_.reset();
    if (!closing_) enter(session_state::connected, "attached to " + what.server);
    if (role_ != server_role::unknown) warn_of_short_lease();

    retry_at_.reset();
    confirming_now_.reset();
    searching_.reset();
    confirm_from_ = confirmed_at_ = now_ - confirm_interval();  // at once
    for (const auto& path : std::exchange(forget_later_, {}))
        actions_.emplace_back(forget_watches{path});
    watch_own_znodes(holding_);
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
    server_.clear();
    role_ = server_role::unknown;
    with_all([](acquisition& one, acquisition_context& c) { one.on_detached(c); });
}

void session_core::end_epoch(const error& why, close_session::how manner) {
    attached_ = false;
    open_ = false;
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
    if (!closing_) enter(session_state::lost, why.message());
    // Holders are told before the session is closed, and somebody else granted.
    with_all([&why](acquisition& one, acquisition_context& c) { one.on_epoch_end(c, why); });
    actions_.emplace_back(close_session{manner});
    if (closing_ || refusal_) return;
    enter(session_state::connecting, "opening a new session");
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

void session_core::take_in(const close&) {
    if (closing_) return;
    closing_ = true;
    reopen_at_.reset();
    const error why{errc::closed};
    enter(session_state::closed, "close() was called");
    with_all([&why](acquisition& one, acquisition_context& c) { one.revoke(c, why); });
    for (const auto& [who, one] : std::exchange(asked_, {})) {
        actions_.emplace_back(answer{who, why});
        if (one.deadline) deadlines_.erase({*one.deadline, who});
    }
    // With no session there is nothing at the servers that could be removed.
    if (!open_) take_in(session_closed{});
}

void session_core::take_in(const session_closed&) {
    attached_ = false;
    open_ = false;
    pending_.clear();
    lists_.clear();
    removals_.clear();
    watches_.clear();
    const error why{errc::closed};
    end_commits(why);
    with_all([&why](acquisition& one, acquisition_context& c) { one.on_epoch_end(c, why); });
}

// ---- acquisitions and inquiries -------------------------------------------------------------

void session_core::take_in(const acquire& what) {
    if (closing_ || refusal_) {
        const auto why = refusal_.value_or(error{errc::closed});
        actions_.emplace_back(notice{what.who, failed{why}});
        actions_.emplace_back(notice{what.who, gone{}});
        return;
    }
    send_removals(sending::all);
    add_member(what.who, member{acquisition{what.settings}, what.deadline,
                                limits_of(what.warn_before, what.max_hold)});
    if (what.deadline) deadlines_.emplace(*what.deadline, what.who);
    with(what.who, [](acquisition& one, acquisition_context& c) { one.start(c); });
}

void session_core::add_member(acquisition_id who, member&& what) {
    owned_bytes_ += what.value.owned_bytes();
    acquisitions_.emplace(who, std::move(what));
}

// A create that was given up has committed after all: its znode is removed until it is gone.
void session_core::remove_abandoned(const std::string& folder,
                                    const std::vector<std::string>& children) {
    for (const auto& name : abandoned_.claim(folder, children)) {
        const acquisition_id who{k_first_leftover + leftovers_++};
        add_member(who, member{acquisition::leftover(folder, name), {}});
        with(who, [](acquisition& one, acquisition_context& c) { one.start(c); });
    }
}

void session_core::take_in(const leave& what) {
    if (leaves_later(what)) return;
    with(what.who, [&what](acquisition& one, acquisition_context& c) { one.leave(c, what.why); });
}

void session_core::take_in(const cancel& what) {
    if (const auto asked = asked_.find(what.who); asked != asked_.end()) {
        if (asked->second.deadline) deadlines_.erase({*asked->second.deadline, what.who});
        asked_.erase(asked);
        actions_.emplace_back(answer{what.who, what.why});
        return;
    }
    if (commits_.contains(what.who)) return cancel_commit(what.who, what.why);
    with(what.who, [&what](acquisition& one, acquisition_context& c) {
        if (one.waits()) one.leave(c, what.why);
    });
}

void session_core::take_in(const rename& what) {
    with(what.who, [&what](acquisition& one, acquisition_context& c) { one.rename(c, what.kind); });
}

void session_core::take_in(const ask& what) {
    if (closing_ || refusal_) {
        actions_.emplace_back(answer{what.who, refusal_.value_or(error{errc::closed})});
        return;
    }
    send_removals(sending::all);
    auto& one = asked_[what.who];
    one = inquiry{what.op, what.deadline, false};
    if (what.deadline) deadlines_.emplace(*what.deadline, what.who);
    send_inquiry(what.who, one);
}

void session_core::send_inquiry(acquisition_id who, inquiry& what) {
    if (!attached_ || what.under_way) return;
    what.under_way = true;
    auto op = what.op;
    send(std::move(op), {to_inquiry{who}, false});
}

ticket session_core::send(operation&& op, route&& to) {
    const ticket id{next_ticket_++};
    send_as(id, std::move(op), std::move(to));
    return id;
}

void session_core::send_as(ticket id, operation&& op, route&& to) {
    pending_.emplace(id, std::move(to));
    last_sent_ = now_;
    actions_.emplace_back(submit{{id, std::move(op)}});
}

void session_core::keep_sets(acquisition_id who, member& what) {
    const auto keep = [who](id_set& set, bool in) {
        if (in) {
            set.insert(who);
        } else {
            set.erase(who);
        }
    };
    const auto& one = what.value;
    if (what.deadline && !one.waits()) deadlines_.erase({*what.deadline, who});
    const auto& limits = *what.limited;
    if (limits.hold_end && !one.holds()) hold_ends_.erase({*limits.hold_end, who});
    if (const auto end = one.delay_end(); end != limits.delay_end) {
        if (limits.delay_end) delay_ends_.erase({*limits.delay_end, who});
        if (end) delay_ends_.emplace(*end, who);
        what.limited.change().delay_end = end;
    }
    if (confirming_.empty() && one.needs_confirmation()) confirm_from_ = now_;
    keep(confirming_, one.needs_confirmation());
    keep(unwatched_, one.needs_confirmation() && !one.watches_itself(connection_));
    keep(awaiting_lease_, one.awaits_lease());
    keep(holding_, one.holds());
    keep(warnable_, one.holds() && limits.warn_before > duration{});
}

// ---- replies --------------------------------------------------------------------------------

void session_core::take_in(const reply& what) {
    auto found = pending_.extract(what.id);
    if (!found) return;  // of an earlier epoch
    const auto& to = found.mapped();
    const bool proven = what.what == outcome::answered && proves_quorum(what.error);
    if (proven) {
        heard_ = std::max(heard_, what.sent);
        lease_.answered(what.connection, what.sent, now_, to.write);
    }
    deliver(to, what);
    // Lost while attached: a write that commits shows that the session lives, whatever the lease.
    if (proven && to.write && attached_ && what.connection == connection_ &&
        state_ == session_state::lost)
        enter(session_state::connected, "the session lives on");
    if (!lasts()) return;
    for (const auto who : id_set{awaiting_lease_})
        with(who, [](acquisition& one, acquisition_context& c) { one.on_lease_confirmed(c); });
}

void session_core::deliver(const route& to, const reply& what) {
    if (const auto* one = std::get_if<to_acquisition>(&to.to)) {
        with(one->who, [&what](acquisition& a, acquisition_context& c) { a.on_reply(c, what); });
    } else if (const auto* asked = std::get_if<to_inquiry>(&to.to)) {
        answer_inquiry(asked->who, what);
    } else if (const auto* confirmed = std::get_if<to_confirmation>(&to.to)) {
        on_confirmed(*confirmed, what);
    } else if (const auto* searched = std::get_if<to_search>(&to.to)) {
        on_searched(*searched, what);
    } else if (const auto* listed = std::get_if<to_sharers>(&to.to)) {
        on_listed(*listed, what);
    } else if (const auto* removed = std::get_if<to_removers>(&to.to)) {
        on_removed(*removed, what);
    } else if (const auto* written = std::get_if<to_writes>(&to.to)) {
        with_writes(written->hold,
                    [&what](guarded_writes& some, write_context& c) { some.on_reply(c, what); });
    }
}

void session_core::answer_inquiry(acquisition_id who, const reply& what) {
    const auto found = asked_.find(who);
    if (found == asked_.end()) return;
    auto& one = found->second;
    one.under_way = false;
    const bool final = what.what == outcome::answered &&
                       what.error != server_error::session_expired &&
                       what.error != server_error::session_moved;
    if (!final) {
        // Asked again at the next attach; at once, if that has been already.
        if (what.connection < connection_) send_inquiry(who, one);
        retry_later();
        return;
    }
    if (one.deadline) deadlines_.erase({*one.deadline, who});
    asked_.erase(found);
    actions_.emplace_back(answer{who, what});
}

void session_core::on_confirmed(const to_confirmation& to, const reply& what) {
    if (what.what != outcome::answered) return retry_later();
    if (confirming_now_ == what.id) confirming_now_.reset();
    if (what.error == server_error::ok) return;
    with(to.who, [&](acquisition& one, acquisition_context& c) {
        if (!one.needs_confirmation() || one.znode() != to.znode) return;
        if (what.error == server_error::no_node) one.on_own_znode_gone(c);
        if (what.error == server_error::bad_version) one.on_own_znode_changed(c);
    });
}

void session_core::on_searched(const to_search& to, const reply& what) {
    const bool looked = what.what == outcome::answered &&
                        what.error != server_error::session_expired &&
                        what.error != server_error::session_moved;
    if (!looked) return retry_later();
    if (searching_ == what.id) searching_.reset();
    remove_abandoned(to.folder, what.children);  // first: a last look ends the search
    abandoned_.looked(to.folder, what.sent);
}

void session_core::take_in(const watch_event& what) {
    const auto interested = watches_.interested(what.path);
    if (what.kind == watch_kind::deleted) watches_.drop(what.path);
    for (const auto who : interested)
        with(who, [&what](acquisition& one, acquisition_context& c) { one.on_watch(c, what); });
}

}  // namespace turnstile::core
