// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_core.hpp"

#include <algorithm>
#include <utility>

#include "base/release_if_empty.hpp"
#include "core/session/session_context.hpp"

namespace turnstile::core {

session_core::session_core(session_core_settings settings)
    : settings_{std::move(settings)},
      chance_{settings_.chance},
      reopening_{settings_.retry_first, settings_.retry_longest},
      throttling_{settings_.retry_first, settings_.retry_longest},
      lease_{settings_.lease},
      removals_{settings_.removals} {}

void session_core::on(const input& what, time_point now) {
    // The lease is judged first: what comes too late does not bring a lost hold back.
    now_ = std::max(now_, now);
    end_lease_if_over();  // place: lease_is_judged_first
    replace_if_broken();  // place: session_is_judged_first
    std::visit([this](const auto& one) { handle(one); }, what);
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

// ---- acquisitions and inquiries -------------------------------------------------------------

void session_core::handle(const acquire& what) {
    if (closing_ || refusal_) {  // place: refuses_after_close
        const auto why = refusal_.value_or(error{errc::closed});
        actions_.emplace_back(notice{what.who, failed{why}});
        actions_.emplace_back(notice{what.who, gone{}});
        return;
    }
    const auto deadline = what.deadline.value_or(k_no_deadline);
    add_member(what.who, member{acquisition{what.settings}, deadline,
                                limits_of(what.warn_before, what.max_hold)});
    if (deadline != k_no_deadline) deadlines_.emplace(deadline, what.who);
    with(what.who, [](acquisition& one, acquisition_context& c) { one.start(c); });
}

void session_core::add_member(acquisition_id who, member&& what) {
    owned_bytes_ += what.value.owned_bytes();
    if (acquisitions_.empty()) looked_at_ = now_;
    acquisitions_.emplace(who, std::move(what));
}

// A create that was given up has committed after all: its znode is removed until it is gone.
void session_core::remove_abandoned(const std::string& folder,
                                    const std::vector<std::string>& children) {
    for (const auto& name : abandoned_.take(folder, children)) {
        const acquisition_id who{k_first_leftover + leftovers_++};
        add_member(who, member{acquisition::leftover(folder, name)});
        with(who, [](acquisition& one, acquisition_context& c) { one.start(c); });
    }
}

void session_core::handle(const leave& what) {
    if (leaves_later(what)) return;
    with(what.who, [&what](acquisition& one, acquisition_context& c) { one.leave(c, what.why); });
}

void session_core::handle(const cancel& what) {
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

void session_core::handle(const rename& what) {
    with(what.who, [&what](acquisition& one, acquisition_context& c) { one.rename(c, what.kind); });
}

void session_core::handle(const ask& what) {
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

// Whoever is next in line watches its own znode, so that a hand-over needs no look at it. In a crowd of such, each on
// a path of its own, the watches would take a quarter of the memory that waiting takes, and one more at the servers:
// there a hand-over takes that look first.
bool session_core::is_to_be_watched(const acquisition& one) const {
    if (!one.needs_confirmation() || one.watches_itself(connection_)) return false;
    if (one.holds() || one.awaits_lease()) return true;
    return confirming_.size() <= holding_.size() + settings_.watched_in_line;
}

void session_core::keep_sets(acquisition_id who, member& what) {
    const auto keep = [who](id_set& set, bool in) {
        if (in) {
            set.insert(who);
        } else {
            set.erase(who);
            base::release_if_empty(set);
        }
    };
    const auto& one = what.value;
    if (what.deadline != k_no_deadline && !one.waits()) deadlines_.erase({what.deadline, who});
    const auto& limits = *what.limited;
    if (limits.hold_end && !one.holds()) hold_ends_.erase({*limits.hold_end, who});
    if (const auto end = one.delay_end(); end != limits.delay_end) {
        if (limits.delay_end) delay_ends_.erase({*limits.delay_end, who});
        if (end) delay_ends_.emplace(*end, who);
        what.limited.change().delay_end = end;
    }
    if (confirming_.empty() && one.needs_confirmation()) confirm_from_ = now_;
    keep(confirming_, one.needs_confirmation());
    keep(awaiting_lease_, one.awaits_lease());
    keep(holding_, one.holds());
    keep(unwatched_, is_to_be_watched(one));
    keep(warnable_, one.holds() && limits.warn_before > duration{});
}

// ---- replies --------------------------------------------------------------------------------

void session_core::handle(const reply& what) {
    if (what.what == outcome::answered && what.error == server_error::throttled) {
        auto nothing_done = what;
        nothing_done.what = outcome::not_sent;
        nothing_done.error = server_error::ok;
        heed_throttling(what.connection);
        return handle(nothing_done);
    }
    if (what.what == outcome::answered && !throttled_) throttling_.reset();
    auto found = pending_.extract(what.id);
    if (!found) return;  // of an earlier epoch
    const auto& to = found.mapped();
    // place: answer_proves_quorum
    const bool proven = what.what == outcome::answered && proves_quorum(what.error);
    if (proven) {
        heard_ = std::max(heard_, what.sent);
        // place: lease_from_the_request
        lease_.answered(what.connection, what.sent, now_, to.write);
        if (to.write) last_write_ = std::max(last_write_, what.sent);
    }
    deliver(to, what);
    if (state_ == session_state::lost && attached_ && (lease_.valid(now_) || !lease_.can_be_kept()))
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
        if (!one.stands() || one.znode() != to.znode) return;
        // place: check_found_nothing
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

void session_core::handle(const watch_event& what) {
    const auto interested = watches_.interested(what.path);
    if (what.kind == watch_kind::deleted) watches_.drop(what.path);
    // place: event_for_those_interested
    for (const auto who : interested)
        // place: event_for_each
        with(who, [&what](acquisition& one, acquisition_context& c) { one.on_watch(c, what); });
}

}  // namespace turnstile::core
