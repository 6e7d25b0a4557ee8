// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/queue/permits.hpp"
#include "core/queue/revocation.hpp"
#include "simulation/describe.hpp"
#include "simulation/ensemble.hpp"

// The way of a transaction: to the leader, into the log, to every replica.
namespace turnstile::simulation {

namespace {

// What the leader gives to what it proposes: milliseconds.
std::int64_t stamp(const proposal& what) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(what.proposed.time_since_epoch())
        .count();
}

}  // namespace

// ---- the links between followers and their leader -------------------------------------------

void ensemble::link_up(server_id from, link_message what) {
    auto& here = servers_[from];
    if (here.stands != standing::following || here.up.cut) return;
    const auto ready = std::max(agenda_.now(), here.up.stalled_until);
    here.up.last = std::max(here.up.last, ready + dice_.up_to(scenario_.time.server_latency));
    agenda_.at(here.up.last, at_link_end{from, direction::up, here.link, std::move(what)});
}

void ensemble::link_down(server_id to, link_message what) {
    auto& there = servers_[to];
    if (there.stands != standing::following || there.down.cut) return;
    const auto ready = std::max(agenda_.now(), there.down.stalled_until);
    there.down.last = std::max(there.down.last, ready + dice_.up_to(scenario_.time.server_latency));
    agenda_.at(there.down.last, at_link_end{to, direction::down, there.link, std::move(what)});
}

void ensemble::on(const at_link_end& what) {
    const auto& follower = servers_[what.follower];
    if (follower.link != what.link || follower.stands != standing::following) return;
    if (what.way == direction::down) {
        if (follower.down.cut && !what.received) return;
        if (agenda_.now() >= follower.deaf_until) return hear_down(what.follower, what.what);
        auto waiting = what;
        waiting.received = true;
        agenda_.at(follower.deaf_until, std::move(waiting));
    } else if (what.received || !follower.up.cut) {
        if (!stalled(*leader_)) return hear_up(what.follower, what.what);
        auto waiting = what;
        waiting.received = true;
        agenda_.at(after_stall(), std::move(waiting));
    }
}

void ensemble::hear_up(server_id from, const link_message& what) {
    if (const auto* relayed = std::get_if<touches>(&what)) {
        for (const auto session : relayed->sessions) (void)tracker_.touch(session, agenda_.now());
    } else if (const auto* asked = std::get_if<revalidate>(&what)) {
        const bool alive = tracker_.touch(asked->session, agenda_.now());
        link_down(from, revalidated{asked->session, asked->connection, alive});
    } else if (const auto* forwarded = std::get_if<proposal>(&what)) {
        propose(proposal{*forwarded});
    } else if (const auto* sync = std::get_if<sync_request>(&what)) {
        on_sync_request(from, sync->connection);
    }
}

void ensemble::hear_down(server_id at, const link_message& what) {
    auto& here = servers_[at];
    if (std::holds_alternative<ping>(what)) {
        link_up(at, touches{std::exchange(here.touched, {})});
    } else if (const auto* answer = std::get_if<revalidated>(&what)) {
        if (answer->alive) return admit(at, answer->connection, answer->session);
        turn_away(at, answer->connection, session_over{});
    } else if (const auto* next = std::get_if<committed>(&what)) {
        if (next->index != here.applied) return;
        ++here.applied;
        apply(at, log_[next->index], answering::yes);
    } else if (const auto* sync = std::get_if<synced>(&what)) {
        complete(at, sync->connection, {});
    }
}

void ensemble::on(const ping_round& what) {
    if (what.reign != reign_) return;
    if (stalled(*leader_)) return agenda_.at(after_stall(), ping_round{what});
    for (server_id id = 0; id != servers_.size(); ++id) link_down(id, ping{});
    agenda_.after(scenario_.time.tick / 2, ping_round{reign_});
}

// ---- the log --------------------------------------------------------------------------------

void ensemble::to_leader(server_id from, proposal&& what) {
    if (leader_ == from) return propose(std::move(what));
    link_up(from, std::move(what));
}

// Since the last one that was given its number while nothing was under way.
std::int32_t ensemble::creates_under_way(const proposal& what) const {
    const auto folder = [](const proposal& one) {
        const auto* create = std::get_if<core::create_op>(&one.op);
        return create == nullptr ? std::string{} : create->path.substr(0, create->path.rfind('/'));
    };
    const auto here = folder(what);
    if (here.empty()) return 0;
    const auto last = std::find_if(proposed_.rbegin(), proposed_.rend(),
                                   [&](const proposal& one) { return folder(one) == here; });
    return last == proposed_.rend() ? 0 : last->creates_under_way + 1;
}

void ensemble::propose(proposal&& what) {
    what.proposed = agenda_.now();
    what.creates_under_way = creates_under_way(what);
    if (what.what == proposal::sort::close) {
        tracker_.close(what.session);
    } else if (what.what == proposal::sort::operation && !what.by_hand) {
        what.error = tracker_.claim(what.session, what.connection);
        if (what.error == core::server_error::ok && exceeds_quota(what.op))
            what.error = core::server_error::quota_exceeded;
        if (what.error != core::server_error::ok) what.what = proposal::sort::refused;
    }
    proposed_.push_back(std::move(what));
    last_commit_ = std::max(last_commit_, agenda_.now() + dice_.up_to(scenario_.time.disk_latency));
    agenda_.at(last_commit_, commit_due{reign_});
}

// PrepRequestProcessor looks at quotas before a create (and before a set that writes more, and in transactions: those
// are let pass here).
bool ensemble::exceeds_quota(const core::operation& op) {
    const auto* create = std::get_if<core::create_op>(&op);
    if (create == nullptr || !network_.faulty() || agenda_.now() >= quota_used_up_until_)
        return false;
    history_.on_over_quota(create->path.substr(0, create->path.rfind('/')));
    return true;
}

void ensemble::on(const commit_due& what) {
    if (what.reign != reign_ || proposed_.empty()) return;
    if (stalled(*leader_)) return agenda_.at(after_stall(), commit_due{what});
    auto next = std::move(proposed_.front());
    proposed_.pop_front();
    commit(std::move(next));
}

void ensemble::commit(proposal&& what) {
    apply_to_truth(what);
    trace_.note(agenda_.now(), [&] {
        return "commit " + std::to_string(truth_.zxid()) + " of session " +
               std::to_string(what.session) +
               (what.what == proposal::sort::operation ? ": " + describe(what.op)
                : what.what == proposal::sort::close   ? ": closed"
                : what.what == proposal::sort::open    ? ": opened"
                                                       : "");
    });
    if (what.what == proposal::sort::open) {
        tracker_.track(what.session, what.proposed);
        watch_expiry(what.session);
    } else if (what.what == proposal::sort::close) {
        tracker_.forget(what.session);
    }
    log_.push_back(std::move(what));
    const auto index = log_.size() - 1;
    for (server_id id = 0; id != servers_.size(); ++id) link_down(id, committed{index});
    ++servers_[*leader_].applied;
    apply(*leader_, log_[index], answering::yes);
    for (const auto& [from, by] : log_[index].syncs) link_down(from, synced{by});
}

void ensemble::apply_to_truth(proposal& what) {
    const auto now = agenda_.now();
    switch (what.what) {
        case proposal::sort::open: what.session = latest_ = truth_.open_session(); return;
        case proposal::sort::close:
            if (what.by_hand) history_.on_closed_by_hand(what.session);
            for (const auto& path : truth_.nodes().ephemerals_of(what.session))
                history_.on_deleted(path, truth_.zxid() + 1, removal::with_session, now);
            (void)truth_.close_session(what.session);
            return;
        case proposal::sort::operation: break;
        case proposal::sort::refused: return truth_.advance_zxid(truth_.zxid() + 1);
        case proposal::sort::new_leader:
            return truth_.advance_zxid(((truth_.zxid() >> 32) + 1) << 32);
        case proposal::sort::reap: (void)truth_.reap(); return;
    }
    const auto done = truth_.apply(what.session, what.op, stamp(what), what.creates_under_way);
    if (done.reply.error != core::server_error::ok) return;
    if (const auto* multi = std::get_if<core::multi_op>(&what.op)) {
        for (std::size_t i = 0; i != multi->parts.size(); ++i)
            std::visit([&](const auto& part) { record(what, part, done.reply.paths[i]); },
                       multi->parts[i]);
        history_.on_multi(*multi);
    } else {
        std::visit([&](const auto& op) { record(what, op, done.reply.path); }, what.op);
    }
}

// What has been committed, for the judge.
template <class Op>
void ensemble::record(const proposal& what, const Op& op, const std::string& made) {
    const auto zxid = truth_.zxid();
    if constexpr (std::is_same_v<Op, core::create_op>) {
        if (op.mode == core::create_mode::ephemeral_sequential ||
            op.mode == core::create_mode::ephemeral)
            history_.on_created(made, op.data, what.session, zxid,
                                what.held_up ? arrival::late : arrival::in_time);
        if (is_semaphore(made)) record_limit(made, op.data);
    } else if constexpr (std::is_same_v<Op, core::remove_op>) {
        const auto why = !what.by_hand           ? removal::by_owner
                         : history_.due(op.path) ? removal::after_mark
                                                 : removal::by_hand;
        history_.on_deleted(op.path, zxid, why, agenda_.now());
    } else if constexpr (std::is_same_v<Op, core::set_op>) {
        if (is_semaphore(op.path)) record_limit(op.path, op.data);
        history_.on_written({op.path, op.data, zxid, stamp(what)});
        if (!what.by_hand) return;
        history_.on_changed_by_hand(op.path, zxid);
        const auto mark = core::parse_revocation(op.data);
        if (mark) history_.on_ordered(mark->who, op.path);
        if (mark && mark->manner == core::revocation::how::take) history_.on_marked(op.path);
    }
}

bool ensemble::is_semaphore(const std::string& path) const {
    return path == scenario_.semaphore;
}

void ensemble::record_limit(const std::string& folder, const std::string& text) {
    if (const auto limit = core::parse_limit(text))
        history_.on_limit(folder, *limit, truth_.zxid());
}

void ensemble::apply(server_id at, const proposal& what, answering how) {
    auto& here = servers_[at];
    core::reply reply;
    reply.what = core::outcome::answered;
    std::vector<local::fired_watch> events;
    switch (what.what) {
        case proposal::sort::open: (void)here.replica.open_session(); break;
        case proposal::sort::close: events = here.replica.close_session(what.session); break;
        case proposal::sort::operation: {
            auto done =
                here.replica.apply(what.session, what.op, stamp(what), what.creates_under_way);
            reply = std::move(done.reply);
            events = std::move(done.events);
            break;
        }
        case proposal::sort::refused:
            here.replica.advance_zxid(here.replica.zxid() + 1);
            reply.error = what.error;
            break;
        case proposal::sort::new_leader:
            here.replica.advance_zxid(((here.replica.zxid() >> 32) + 1) << 32);
            break;
        case proposal::sort::reap: events = here.replica.reap(); break;
    }
    send_fired(here, events, false);
    if (what.what == proposal::sort::close) end_connection(at, what.session);
    if (how == answering::yes && what.origin == at) answer(at, what, std::move(reply));
}

void ensemble::answer(server_id at, const proposal& what, core::reply&& reply) {
    if (what.what == proposal::sort::open) return admit(at, what.connection, what.session);
    complete(at, what.connection, std::move(reply));
}

void ensemble::complete(server_id at, connection_id by, core::reply&& reply) {
    const auto queue = servers_[at].queues.find(by);
    if (queue == servers_[at].queues.end()) return;
    const auto first =
        std::find_if(queue->second.begin(), queue->second.end(),
                     [](const queued_request& one) { return one.write && !one.done; });
    if (first == queue->second.end()) return;
    reply.what = core::outcome::answered;
    first->done = std::move(reply);
    if (ambushed()) ambush(at, by);
    answer_from_head(at, by);
}

void ensemble::end_connection(server_id at, session_id session) {
    const auto found = servers_[at].attached.find(session);
    if (found == servers_[at].attached.end()) return;
    const auto by = found->second;
    detach(at, by);
    network_.close_by_server(by);
}

void ensemble::catch_up(server_id at) {
    auto& here = servers_[at];
    while (here.applied != log_.size()) apply(at, log_[here.applied++], answering::no);
}

// ---- sessions -------------------------------------------------------------------------------

void ensemble::watch_expiry(session_id session) {
    const auto expiry = tracker_.expiry(session);
    if (expiry && watched_expiries_.insert(session).second)
        agenda_.at(*expiry, expiry_due{reign_, session});
}

void ensemble::on(const expiry_due& what) {
    if (what.reign != reign_) return;
    if (agenda_.now() < leader_stalled_until_)
        return agenda_.at(leader_stalled_until_, expiry_due{what});
    watched_expiries_.erase(what.session);
    const auto expiry = tracker_.expiry(what.session);
    if (!expiry) return;
    if (*expiry > agenda_.now()) return watch_expiry(what.session);
    // The loop takes all that is due at one tick together, and nothing else before it has closed them.
    if (agenda_.now() < expiring_until_ && *expiry > polled_) {
        watched_expiries_.insert(what.session);
        return agenda_.at(expiring_until_, expiry_due{what});
    }
    polled_ = std::max(polled_, *expiry);
    tracker_.doom(what.session);
    trace_.note(agenda_.now(), [&] { return fmt::format("session {} is doomed", what.session); });
    expiring_until_ = std::max(expiring_until_, agenda_.now()) + until_closed(what.session);
    agenda_.at(expiring_until_, doomed_due{reign_, what.session});
}

// A log line and a proposal for each session before it; a log that stalls, or thousands of others.
core::duration ensemble::until_closed(session_id session) {
    const auto usual = dice_.up_to(scenario_.time.server_latency);
    if (!network_.faulty() || !dice_.chance(scenario_.slow_expiry)) return usual;
    const auto length = dice_.up_to(scenario_.time.session_timeout);
    const bool struck = disturbances_.strikes([&] {
        return fmt::format("the leader's expiry loop takes {:.3f} s to close session {}",
                           std::chrono::duration<double>{length}.count(), session);
    });
    if (!struck) return usual;
    disturb(agenda_.now() + length);
    return length;
}

void ensemble::on(const doomed_due& what) {
    if (what.reign != reign_) return;
    if (stalled(*leader_)) return agenda_.at(after_stall(), doomed_due{what});
    if (!tracker_.deadline(what.session)) return;  // it was closed meanwhile
    proposal made;
    made.what = proposal::sort::close;
    made.session = what.session;
    propose(std::move(made));
}

}  // namespace turnstile::simulation
