// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "simulation/describe.hpp"
#include "simulation/ensemble.hpp"

// Implements the path of a transaction: it goes to the leader, into the leader's log, and to each server's replica.
namespace turnstile::simulation {

namespace {

// Returns the leader's time stamp of the proposal, in ms.
std::int64_t stamp(const proposal& proposal) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               proposal.proposed.time_since_epoch())
        .count();
}

}  // namespace

// ---- the links between followers and their leader -------------------------------------------

void ensemble::link_up(server_id from, link_message message) {
    auto& here = servers_[from];
    if (here.stands != standing::following || here.up.cut) return;
    const auto ready = std::max(agenda_.now(), here.up.stalled_until);
    here.up.last = std::max(here.up.last, ready + dice_.up_to(scenario_.time.server_latency));
    agenda_.at(here.up.last, at_link_end{from, direction::up, here.link, std::move(message)});
}

void ensemble::link_down(server_id to, link_message message) {
    auto& there = servers_[to];
    if (there.stands != standing::following || there.down.cut) return;
    const auto ready = std::max(agenda_.now(), there.down.stalled_until);
    there.down.last = std::max(there.down.last, ready + dice_.up_to(scenario_.time.server_latency));
    agenda_.at(there.down.last, at_link_end{to, direction::down, there.link, std::move(message)});
}

void ensemble::on(const at_link_end& event) {
    const auto& follower = servers_[event.follower];
    if (follower.link != event.link || follower.stands != standing::following) return;
    if (event.way == direction::down) {
        if (follower.down.cut && !event.received) return;
        if (agenda_.now() >= follower.deaf_until) return hear_down(event.follower, event.message);
        auto waiting = event;
        waiting.received = true;
        agenda_.at(follower.deaf_until, std::move(waiting));
    } else if (event.received || !follower.up.cut) {
        if (!stalled(*leader_)) return hear_up(event.follower, event.message);
        auto waiting = event;
        waiting.received = true;
        agenda_.at(after_stall(), std::move(waiting));
    }
}

void ensemble::hear_up(server_id from, const link_message& message) {
    if (const auto* relayed = std::get_if<touches>(&message)) {
        for (const auto session : relayed->sessions) (void)tracker_.touch(session, agenda_.now());
    } else if (const auto* question = std::get_if<revalidate>(&message)) {
        const bool alive = tracker_.touch(question->session, agenda_.now());
        link_down(from, revalidated{question->session, question->connection, alive});
    } else if (const auto* forwarded = std::get_if<proposal>(&message)) {
        propose(proposal{*forwarded});
    } else if (const auto* sync = std::get_if<sync_request>(&message)) {
        on_sync_request(from, sync->connection);
    }
}

void ensemble::hear_down(server_id at, const link_message& message) {
    auto& here = servers_[at];
    if (std::holds_alternative<ping>(message)) {
        link_up(at, touches{std::exchange(here.touched, {})});
    } else if (const auto* answer = std::get_if<revalidated>(&message)) {
        if (answer->alive) return admit(at, answer->connection, answer->session);
        turn_away(at, answer->connection, session_over{});
    } else if (const auto* next = std::get_if<committed>(&message)) {
        if (next->index != here.applied) return;
        ++here.applied;
        apply(at, log_[next->index], answering::yes);
    } else if (const auto* sync = std::get_if<synced>(&message)) {
        complete(at, sync->connection, {});
    }
}

void ensemble::on(const ping_round& event) {
    if (event.reign != reign_) return;
    if (stalled(*leader_)) return agenda_.at(after_stall(), ping_round{event});
    for (server_id id = 0; id != servers_.size(); ++id) link_down(id, ping{});
    agenda_.after(scenario_.time.tick / 2, ping_round{reign_});
}

// ---- the leader's log -----------------------------------------------------------------------

void ensemble::to_leader(server_id from, proposal&& proposal) {
    if (leader_ == from) return propose(std::move(proposal));
    link_up(from, std::move(proposal));
}

// Returns the position of `newest` in an unbroken series of creates in its folder, counted from 0. The leader proposed
// each further create of the series while an earlier create was not committed.
std::int32_t ensemble::creates_under_way(const proposal& newest) const {
    const auto folder = [](const proposal& proposed) {
        const auto* create = std::get_if<core::create_op>(&proposed.op);
        return create == nullptr ? std::string{} : create->path.substr(0, create->path.rfind('/'));
    };
    const auto here = folder(newest);
    if (here.empty()) return 0;
    const auto last =
        std::find_if(proposed_.rbegin(), proposed_.rend(),
                     [&](const proposal& earlier) { return folder(earlier) == here; });
    return last == proposed_.rend() ? 0 : last->creates_under_way + 1;
}

void ensemble::propose(proposal&& proposal) {
    proposal.proposed = agenda_.now();
    proposal.creates_under_way = creates_under_way(proposal);
    if (proposal.kind == proposal::sort::close) {
        tracker_.close(proposal.session);
    } else if (proposal.kind == proposal::sort::operation && !proposal.by_hand) {
        proposal.error = tracker_.claim(proposal.session, proposal.connection);
        if (proposal.error == core::server_error::ok && refuse_over_quota(proposal.op))
            proposal.error = core::server_error::quota_exceeded;
        if (proposal.error != core::server_error::ok) proposal.kind = proposal::sort::refused;
    }
    proposed_.push_back(std::move(proposal));
    last_commit_ = std::max(last_commit_, agenda_.now() + dice_.up_to(scenario_.time.disk_latency));
    agenda_.at(last_commit_, commit_due{reign_});
}

// ZooKeeper (PrepRequestProcessor) checks a quota before it creates a znode. ZooKeeper also checks the quota before a
// `set` that writes more data, and before a transaction. The model leaves these two checks out.
bool ensemble::refuse_over_quota(const core::operation& op) {
    const auto* create = std::get_if<core::create_op>(&op);
    if (create == nullptr || !network_.faulty() || agenda_.now() >= quota_used_up_until_)
        return false;
    history_.on_over_quota(create->path.substr(0, create->path.rfind('/')));
    return true;
}

void ensemble::on(const commit_due& event) {
    if (event.reign != reign_ || proposed_.empty()) return;
    if (stalled(*leader_)) return agenda_.at(after_stall(), commit_due{event});
    auto next = std::move(proposed_.front());
    proposed_.pop_front();
    commit(std::move(next));
}

void ensemble::commit(proposal&& proposal) {
    apply_to_truth(proposal);
    trace_.note(agenda_.now(), [&] {
        return "commit " + std::to_string(truth_.zxid()) + " of session " +
               std::to_string(proposal.session) +
               (proposal.kind == proposal::sort::operation ? ": " + describe(proposal.op)
                : proposal.kind == proposal::sort::close   ? ": closed"
                : proposal.kind == proposal::sort::open    ? ": opened"
                                                           : "");
    });
    if (proposal.kind == proposal::sort::open) {
        tracker_.track(proposal.session, proposal.proposed);
        watch_expiry(proposal.session);
    } else if (proposal.kind == proposal::sort::close) {
        tracker_.forget(proposal.session);
    }
    log_.push_back(std::move(proposal));
    const auto index = log_.size() - 1;
    for (server_id id = 0; id != servers_.size(); ++id) link_down(id, committed{index});
    ++servers_[*leader_].applied;
    apply(*leader_, log_[index], answering::yes);
    for (const auto& [from, by] : log_[index].syncs) link_down(from, synced{by});
}

void ensemble::apply_to_truth(proposal& proposal) {
    const auto now = agenda_.now();
    switch (proposal.kind) {
        case proposal::sort::open: proposal.session = latest_ = truth_.open_session(); return;
        case proposal::sort::close:
            if (proposal.by_hand) history_.on_closed_by_hand(proposal.session, truth_.zxid() + 1);
            for (const auto& path : truth_.nodes().ephemerals_of(proposal.session))
                history_.on_deleted(path, truth_.zxid() + 1, removal::with_session, now);
            (void)truth_.close_session(proposal.session);
            return;
        case proposal::sort::operation: break;
        case proposal::sort::refused: return truth_.advance_zxid(truth_.zxid() + 1);
        case proposal::sort::new_leader:
            return truth_.advance_zxid(((truth_.zxid() >> 32) + 1) << 32);
        case proposal::sort::reap: (void)truth_.reap(); return;
    }
    const auto done =
        truth_.apply(proposal.session, proposal.op, stamp(proposal), proposal.creates_under_way);
    writer_.record(
        {proposal.session, proposal.by_hand, proposal.held_up, truth_.zxid(), stamp(proposal), now},
        proposal.op, done.reply);
}

void ensemble::apply(server_id at, const proposal& proposal, answering how) {
    auto& here = servers_[at];
    core::reply reply;
    reply.outcome = core::outcome::answered;
    std::vector<local::fired_watch> events;
    switch (proposal.kind) {
        case proposal::sort::open: (void)here.replica.open_session(); break;
        case proposal::sort::close: events = here.replica.close_session(proposal.session); break;
        case proposal::sort::operation: {
            auto done = here.replica.apply(proposal.session, proposal.op, stamp(proposal),
                                           proposal.creates_under_way);
            reply = std::move(done.reply);
            events = std::move(done.events);
            break;
        }
        case proposal::sort::refused:
            here.replica.advance_zxid(here.replica.zxid() + 1);
            reply.error = proposal.error;
            break;
        case proposal::sort::new_leader:
            here.replica.advance_zxid(((here.replica.zxid() >> 32) + 1) << 32);
            break;
        case proposal::sort::reap: events = here.replica.reap(); break;
    }
    send_fired(here, events, false);
    if (proposal.kind == proposal::sort::close) end_connection(at, proposal.session);
    if (how == answering::yes && proposal.origin == at) answer(at, proposal, std::move(reply));
}

void ensemble::answer(server_id at, const proposal& proposal, core::reply&& reply) {
    if (proposal.kind == proposal::sort::open)
        return admit(at, proposal.connection, proposal.session);
    complete(at, proposal.connection, std::move(reply));
}

void ensemble::complete(server_id at, connection_id by, core::reply&& reply) {
    const auto queue = servers_[at].queues.find(by);
    if (queue == servers_[at].queues.end()) return;
    const auto first =
        std::find_if(queue->second.begin(), queue->second.end(),
                     [](const queued_request& request) { return request.write && !request.done; });
    if (first == queue->second.end()) return;
    reply.outcome = core::outcome::answered;
    first->done = std::move(reply);
    if (draw_ambush()) ambush(at, by);
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

void ensemble::on(const expiry_due& event) {
    if (event.reign != reign_) return;
    if (agenda_.now() < leader_stalled_until_)
        return agenda_.at(leader_stalled_until_, expiry_due{event});
    watched_expiries_.erase(event.session);
    const auto expiry = tracker_.expiry(event.session);
    if (!expiry) return;
    if (*expiry > agenda_.now()) return watch_expiry(event.session);
    // The leader's loop selects all sessions of one tick together. It selects no further session until it has closed
    // these sessions.
    if (agenda_.now() < expiring_until_ && *expiry > polled_) {
        watched_expiries_.insert(event.session);
        return agenda_.at(expiring_until_, expiry_due{event});
    }
    polled_ = std::max(polled_, *expiry);
    tracker_.doom(event.session);
    trace_.note(agenda_.now(), [&] { return fmt::format("session {} is doomed", event.session); });
    expiring_until_ = std::max(expiring_until_, agenda_.now()) + until_closed(event.session);
    agenda_.at(expiring_until_, doomed_due{reign_, event.session});
}

// Returns the time that the leader's loop needs to close the session. It may be long: the loop writes a log line and a
// proposal for each of perhaps thousands of sessions, and the writing of log lines may stall.
core::duration ensemble::until_closed(session_id session) {
    const auto usual = dice_.up_to(scenario_.time.server_latency);
    if (!network_.faulty() || !dice_.chance(scenario_.slow_expiry)) return usual;
    const auto length = dice_.up_to(scenario_.time.session_timeout);
    const bool struck = disturbances_.draw_strike([&] {
        return fmt::format("the leader's expiry loop takes {:.3f} s to close session {}",
                           std::chrono::duration<double>{length}.count(), session);
    });
    if (!struck) return usual;
    disturb(agenda_.now() + length);
    return length;
}

void ensemble::on(const doomed_due& event) {
    if (event.reign != reign_) return;
    if (stalled(*leader_)) return agenda_.at(after_stall(), doomed_due{event});
    if (!tracker_.deadline(event.session)) return;  // the session was closed meanwhile
    proposal closing;
    closing.kind = proposal::sort::close;
    closing.session = event.session;
    propose(std::move(closing));
}

}  // namespace turnstile::simulation
