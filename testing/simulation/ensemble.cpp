// SPDX-License-Identifier: Apache-2.0
#include "simulation/ensemble.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "simulation/describe.hpp"

namespace turnstile::simulation {

ensemble::ensemble(const scenario& scenario, agenda& future, dice& chance, network& links,
                   disturbances& faults, history& truth, trace& story)
    : scenario_{scenario},
      agenda_{future},
      dice_{chance},
      network_{links},
      disturbances_{faults},
      history_{truth},
      trace_{story},
      writer_{scenario, truth},
      servers_(scenario.servers) {
    administrator_ = prepare_tree(scenario, truth_);
    if (scenario.folders_exist && !scenario.semaphore.empty())
        history_.on_limit(scenario.semaphore, {scenario.permits, scenario.permits}, 0);
    for (auto& server : servers_) server.replica = truth_;
    lead(dice_.below(servers_.size()));
    for (server_id id = 0; id != servers_.size(); ++id)
        if (id != leader_) follow(id);
}

// Returns true for requests that a stop of the server's thread may delay: a request to create a znode, or a recipe's
// commit.
bool ensemble::may_be_held_up(const core::operation& op) const {
    if (std::holds_alternative<core::create_op>(op)) return true;
    return scenario_.work != work_kind::locks && std::holds_alternative<core::multi_op>(op);
}

bool ensemble::stalled(server_id at) const {
    return leader_ == at && agenda_.now() < after_stall();
}

instant ensemble::after_stall() const {
    return leader_stalled_until_ + std::chrono::microseconds{1};
}

server_role ensemble::role(server_id of) const {
    if (servers_.size() == 1) return server_role::standalone;
    const bool leads = leader_ == of || servers_[of].deposed;
    return leads ? server_role::leader : server_role::follower;
}

std::optional<server_id> ensemble::some_leader() {
    std::vector<server_id> all;
    for (server_id id = 0; id != servers_.size(); ++id)
        if (servers_[id].serves() && role(id) == server_role::leader) all.push_back(id);
    if (all.empty()) return std::nullopt;
    return dice_.pick(all);
}

std::size_t ensemble::watch_count() const {
    std::size_t sum = 0;
    for (const auto& server : servers_) sum += server.replica.watch_count();
    return sum;
}

bool ensemble::healthy() const {
    return std::all_of(servers_.begin(), servers_.end(), [](const server& server) {
        return (server.stands == standing::leading || server.stands == standing::following) &&
               !server.up.cut && !server.down.cut;
    });
}

// ---- requests -------------------------------------------------------------------------------

void ensemble::on(const at_server& event) {
    auto* by = network_.find(event.connection);
    if (by == nullptr || by->cut || !by->server_open) return;
    const auto at = by->server;
    auto& here = servers_[at];
    const auto standing_still = stalled(at) ? after_stall() : here.stopped_until;
    by->held_until = std::max(by->held_until, standing_still);
    if (agenda_.now() < by->held_until) return agenda_.at(by->held_until, at_server{event});
    if (!here.serves()) return network_.close_by_server(event.connection);
    if (const auto* connect = std::get_if<connect_request>(&event.message)) {
        if (!network_.crowded(by->client)) return attach(at, event.connection, *connect);
        trace_.note(agenda_.now(), [&] { return name(at) + " has too many connections"; });
        return network_.close_by_server(event.connection);
    }

    const auto queue = here.queues.find(event.connection);
    if (queue == here.queues.end()) return;
    if (is_too_large(event.message)) {
        ++refused_packets_;
        trace_.note(agenda_.now(), [&] { return name(at) + " refuses a packet of watches"; });
        detach(at, event.connection);
        return network_.close_by_server(event.connection);
    }
    const auto session = by->session;
    if (leader_ == at) {
        (void)tracker_.touch(session, agenda_.now());
    } else {
        here.touched.insert(session);
    }
    const auto* request = std::get_if<core::request>(&event.message);
    if (request != nullptr && throws_away(*by)) {
        trace_.note(agenda_.now(), [&] { return name(at) + " throws a request away"; });
        core::reply refused;
        refused.outcome = core::outcome::answered;
        refused.error = core::server_error::throttled;
        queue->second.push_back({event.message, true, std::move(refused)});
        return answer_from_head(at, event.connection);
    }
    if (taken_for_sync(request)) return sync(at, event.connection, client_message{event.message});
    const bool ends = std::holds_alternative<end_session>(event.message);
    const bool write = ends || (request != nullptr && core::is_write(request->op));
    if (write) {
        if (draw_ambush()) network_.cut(event.connection);
        proposal proposed;
        proposed.kind = ends ? proposal::sort::close : proposal::sort::operation;
        proposed.session = session;
        if (!ends) proposed.op = request->op;
        proposed.origin = at;
        proposed.connection = event.connection;
        queue->second.push_back({event.message, true, std::nullopt});
        if (request != nullptr && may_be_held_up(request->op) &&
            network_.hold_up(event.connection)) {
            agenda_.after(dice_.up_to(scenario_.time.session_timeout / 2),
                          goes_on{at, here.life, std::move(proposed)});
        } else {
            to_leader(at, std::move(proposed));
        }
    } else {
        queue->second.push_back({event.message, false, std::nullopt});
        answer_from_head(at, event.connection);
    }
}

// Returns true for a packet of watches that is too long. A real server closes the connection then (NIOServerCnxn: "Len
// error"). The session stays extended, because the client attached before it sent the packet.
bool ensemble::is_too_large(const client_message& message) const {
    const auto* sent = std::get_if<resend_watches>(&message);
    if (sent == nullptr) return false;
    std::size_t bytes = 0;
    for (const auto* list : {&sent->watches.data, &sent->watches.exists, &sent->watches.children})
        for (const auto& path : *list) bytes += path.size() + core::k_length_field;
    return bytes > scenario_.most_packet;
}

// Returns true if the server throws the client's request away, as a throttling server does (RequestThrottler). A
// throttling server still extends the session, and answers the request in order.
bool ensemble::throws_away(const connection& by) const {
    constexpr double k_most = 0.7;
    return network_.throttled(by.client) && dice_.chance(k_most);
}

// A server's thread was stopped during a request, and continues. The leader checks only the server of a session, not
// the connection. So it accepts the request even if the session has a newer connection to the same server.
void ensemble::on(const goes_on& event) {
    const auto& here = servers_[event.server];
    if (here.life != event.life || !here.serves()) return;
    auto late = event.create;
    late.held_up = true;
    late.origin.reset();
    const auto by = here.attached.find(late.session);
    if (by != here.attached.end()) late.connection = by->second;
    to_leader(event.server, std::move(late));
}

void ensemble::answer_from_head(server_id at, connection_id by) {
    auto& here = servers_[at];
    const auto found = here.queues.find(by);
    if (found == here.queues.end()) return;
    auto& queue = found->second;
    const auto session = network_.find(by)->session;
    while (!queue.empty() && (!queue.front().write || queue.front().done)) {
        auto head = std::move(queue.front());
        queue.pop_front();
        if (auto* request = std::get_if<core::request>(&head.message)) {
            auto reply = head.write ? std::move(*head.done) : read(here, session, request->op);
            reply.id = request->id;
            network_.to_client(by, request_answer{std::move(reply), here.replica.zxid()});
        } else if (auto* watches = std::get_if<resend_watches>(&head.message)) {
            auto missed =
                here.replica.restore_watches(session, watches->watches, watches->seen_zxid);
            dice_.shuffle(missed);
            send_fired(here, missed, true);
        } else if (auto* drop = std::get_if<drop_watch>(&head.message)) {
            here.replica.forget_watches(session, drop->path);
        }
    }
}

core::reply ensemble::read(server& at, session_id session, const core::operation& op) {
    auto done = at.replica.apply(session, op, 0).reply;
    dice_.shuffle(done.children);
    return done;
}

void ensemble::send_fired(server& at, const std::vector<local::fired_watch>& events, bool missed) {
    for (const auto& event : events) {
        const auto to = at.attached.find(event.session);
        if (to == at.attached.end()) continue;
        if (!missed && may_be_unheard(event) && network_.lose_event(to->second)) continue;
        network_.to_client(to->second, watch_fired{event.kind, event.path, missed});
    }
}

// Returns true if the server may withhold this event. A server withholds an event from a session that may not read the
// znode any more. A session may always read its own znodes. Operators never remove the READ permission from a mutex's
// folder (docs/why/mutex.md, "Without a list").
bool ensemble::may_be_unheard(const local::fired_watch& watch) const {
    if (watch.kind == core::watch_kind::children) return watch.path == scenario_.semaphore;
    const auto* contender = history_.find(watch.path);
    if (contender == nullptr) return watch.path == scenario_.semaphore;
    return contender->session != watch.session;
}

// ---- connections ----------------------------------------------------------------------------

void ensemble::attach(server_id at, connection_id by, const connect_request& request) {
    auto& here = servers_[at];
    if (request.session == 0) {
        proposal opening;
        opening.kind = proposal::sort::open;
        opening.origin = at;
        opening.connection = by;
        return to_leader(at, std::move(opening));
    }
    const bool has_seen_more =
        here.replica.zxid() < request.seen_zxid || request.session <= latest_forgotten_;
    if (has_seen_more) return turn_away(at, by, refusal{});
    if (leader_ == at) {
        if (!tracker_.touch(request.session, agenda_.now()))
            return turn_away(at, by, session_over{});
        return admit(at, by, request.session);
    }
    // A deposed leader asks no other server. It admits all sessions that its replica has.
    if (here.deposed && here.replica.has_session(request.session))
        return admit(at, by, request.session);
    link_up(at, revalidate{request.session, by});
}

void ensemble::admit(server_id at, connection_id by, session_id session) {
    auto& here = servers_[at];
    auto* on = network_.find(by);
    if (on == nullptr || !on->server_open) return;
    on->session = session;
    const auto old = here.attached.find(session);
    if (old != here.attached.end()) {
        const auto replaced = old->second;
        detach(at, replaced);
        network_.close_by_server(replaced);
    }
    here.attached[session] = by;
    here.queues[by] = {};
    const auto role = scenario_.roles_known ? this->role(at) : server_role::unknown;
    network_.to_client(by, connect_answer{session, role, here.replica.zxid()});
}

void ensemble::turn_away(server_id at, connection_id by, server_message&& why) {
    trace_.note(agenda_.now(), [&] { return name(at) + " turns a client away"; });
    network_.to_client(by, std::move(why));
    network_.close_by_server(by);
}

void ensemble::on(const server_notices& event) {
    auto* by = network_.find(event.connection);
    if (by == nullptr || !by->server_open) return;
    detach(by->server, event.connection);
    network_.close_by_server(event.connection);
}

// Ends the connection `by` at this server. The connection's requests that are on their way to the log continue. The
// server drops the connection's requests that still wait.
void ensemble::detach(server_id at, connection_id by) {
    auto& here = servers_[at];
    here.queues.erase(by);
    const auto session = network_.find(by)->session;
    const auto found = here.attached.find(session);
    if (found == here.attached.end() || found->second != by) return;
    here.attached.erase(found);
    here.replica.drop_watches(session);
}

void ensemble::detach_all(server_id at) {
    auto& here = servers_[at];
    const auto all = std::exchange(here.attached, {});
    here.queues.clear();
    for (const auto& [session, by] : all) {
        here.replica.drop_watches(session);
        network_.close_by_server(by);
    }
}

}  // namespace turnstile::simulation
