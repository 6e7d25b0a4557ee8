// SPDX-License-Identifier: Apache-2.0
#include "simulation/ensemble.hpp"
#include "core/queue/permits.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "simulation/describe.hpp"

// What servers do for their clients.
namespace turnstile::simulation {

ensemble::ensemble(const scenario& what, agenda& future, dice& chance, network& links,
                   disturbances& faults, history& truth, trace& story)
    : scenario_{what},
      agenda_{future},
      dice_{chance},
      network_{links},
      disturbances_{faults},
      history_{truth},
      trace_{story},
      servers_(what.servers) {
    const auto prepare = [&what](local::tree& tree) {
        const auto administrator = tree.open_session();
        if (!what.folders_exist) return administrator;
        const auto make = [&](std::string path, std::string data = {}) {
            (void)tree.apply(administrator, core::create_op{std::move(path), std::move(data)}, 0);
        };
        make("/locks");
        if (what.work != work_kind::locks) {
            make(k_state_znode);
            make(k_job_znode);
            make(k_rate_znode);
        }
        auto folders = what.folders;
        if (!what.read_write.empty()) folders.push_back(what.read_write);
        if (!what.semaphore.empty()) {
            make(what.semaphore, core::limit_text({what.permits, what.permits}));
            folders.push_back(what.semaphore);
        }
        for (const auto& folder : folders) {
            make(folder);
            if (what.foreign_children) make(folder + "/notes");
            if (what.first_sequence != 0) tree.set_creates(folder, what.first_sequence);
        }
        return administrator;
    };
    administrator_ = prepare(truth_);
    if (what.folders_exist && !what.semaphore.empty())
        history_.on_limit(what.semaphore, {what.permits, what.permits}, 0);
    for (auto& one : servers_) one.replica = truth_;
    lead(dice_.below(servers_.size()));
    for (server_id id = 0; id != servers_.size(); ++id)
        if (id != leader_) follow(id);
}

// A create, or the commit of a recipe that writes.
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

core::server_role ensemble::role(server_id of) const {
    if (servers_.size() == 1) return core::server_role::standalone;
    const bool leads = leader_ == of || servers_[of].deposed;
    return leads ? core::server_role::leader : core::server_role::follower;
}

std::size_t ensemble::watch_count() const {
    std::size_t sum = 0;
    for (const auto& one : servers_) sum += one.replica.watch_count();
    return sum;
}

bool ensemble::healthy() const {
    return std::all_of(servers_.begin(), servers_.end(), [](const server& one) {
        return (one.stands == standing::leading || one.stands == standing::following) &&
               !one.up.cut && !one.down.cut;
    });
}

// ---- requests -------------------------------------------------------------------------------

void ensemble::on(const at_server& what) {
    auto* by = network_.find(what.connection);
    if (by == nullptr || by->cut || !by->server_open) return;
    const auto at = by->server;
    auto& here = servers_[at];
    const auto standing_still = stalled(at) ? after_stall() : here.stopped_until;
    by->held_until = std::max(by->held_until, standing_still);
    if (agenda_.now() < by->held_until) return agenda_.at(by->held_until, at_server{what});
    if (!here.serves()) return network_.close_by_server(what.connection);
    if (const auto* connect = std::get_if<connect_request>(&what.what)) {
        if (!network_.crowded(by->client)) return attach(at, what.connection, *connect);
        trace_.note(agenda_.now(), [&] { return name(at) + " has too many connections"; });
        return network_.close_by_server(what.connection);
    }

    const auto queue = here.queues.find(what.connection);
    if (queue == here.queues.end()) return;
    if (is_too_large(what.what)) {
        ++refused_packets_;
        trace_.note(agenda_.now(), [&] { return name(at) + " refuses a packet of watches"; });
        detach(at, what.connection);
        return network_.close_by_server(what.connection);
    }
    const auto session = by->session;
    if (leader_ == at) {
        (void)tracker_.touch(session, agenda_.now());
    } else {
        here.touched.insert(session);
    }
    const auto* request = std::get_if<core::request>(&what.what);
    if (request != nullptr && throws_away(*by)) {
        trace_.note(agenda_.now(), [&] { return name(at) + " throws a request away"; });
        core::reply refused;
        refused.what = core::outcome::answered;
        refused.error = core::server_error::throttled;
        queue->second.push_back({what.what, true, std::move(refused)});
        return answer_from_head(at, what.connection);
    }
    if (taken_for_sync(request)) return sync(at, what.connection, client_message{what.what});
    const bool ends = std::holds_alternative<end_session>(what.what);
    const bool write = ends || (request != nullptr && core::is_write(request->op));
    if (write) {
        if (ambushed()) network_.cut(what.connection);
        proposal made;
        made.what = ends ? proposal::sort::close : proposal::sort::operation;
        made.session = session;
        if (!ends) made.op = request->op;
        made.origin = at;
        made.connection = what.connection;
        queue->second.push_back({what.what, true, std::nullopt});
        if (request != nullptr && may_be_held_up(request->op) &&
            network_.held_up(what.connection)) {
            agenda_.after(dice_.up_to(scenario_.time.session_timeout / 2),
                          goes_on{at, here.life, std::move(made)});
        } else {
            to_leader(at, std::move(made));
        }
    } else {
        queue->second.push_back({what.what, false, std::nullopt});
        answer_from_head(at, what.connection);
    }
}

// NIOServerCnxn: "Len error". The session was touched when its client attached.
bool ensemble::is_too_large(const client_message& what) const {
    const auto* sent = std::get_if<resend_watches>(&what);
    if (sent == nullptr) return false;
    constexpr std::size_t k_length_field = 4;
    std::size_t bytes = 0;
    for (const auto* list : {&sent->watches.data, &sent->watches.exists, &sent->watches.children})
        for (const auto& path : *list) bytes += path.size() + k_length_field;
    return bytes > scenario_.most_packet;
}

// RequestThrottler: it was read, touched its session, and is answered in its turn; nothing else is done with it.
bool ensemble::throws_away(const connection& by) const {
    constexpr double k_most = 0.7;
    return network_.throttled(by.client) && dice_.chance(k_most);
}

// The leader knows of a session which server it is at, not by which connection: a late request of that
// server is the session's.
void ensemble::on(const goes_on& what) {
    const auto& here = servers_[what.server];
    if (here.life != what.life || !here.serves()) return;
    auto late = what.what;
    late.held_up = true;
    late.origin.reset();
    const auto by = here.attached.find(late.session);
    if (by != here.attached.end()) late.connection = by->second;
    to_leader(what.server, std::move(late));
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
        if (auto* request = std::get_if<core::request>(&head.what)) {
            auto reply = head.write ? std::move(*head.done) : read(here, session, request->op);
            reply.id = request->id;
            network_.to_client(by, request_answer{std::move(reply), here.replica.zxid()});
        } else if (auto* watches = std::get_if<resend_watches>(&head.what)) {
            auto missed =
                here.replica.restore_watches(session, watches->watches, watches->seen_zxid);
            dice_.shuffle(missed);
            send_fired(here, missed, true);
        } else if (auto* drop = std::get_if<drop_watch>(&head.what)) {
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
    for (const auto& one : events) {
        const auto to = at.attached.find(one.session);
        if (to == at.attached.end()) continue;
        if (!missed && may_be_unheard(one) && network_.unheard(to->second)) continue;
        network_.to_client(to->second, watch_fired{one.kind, one.path, missed});
    }
}

// A session may read its own znodes. What a holder hears of its folder is used up by its own removal.
bool ensemble::may_be_unheard(const local::fired_watch& what) const {
    if (what.kind == core::watch_kind::children) return is_semaphore(what.path);
    const auto* contender = history_.find(what.path);
    return contender == nullptr || contender->session != what.session;
}

// ---- connections ----------------------------------------------------------------------------

void ensemble::attach(server_id at, connection_id by, const connect_request& what) {
    auto& here = servers_[at];
    if (what.session == 0) {
        proposal made;
        made.what = proposal::sort::open;
        made.origin = at;
        made.connection = by;
        return to_leader(at, std::move(made));
    }
    const bool has_seen_more =
        here.replica.zxid() < what.seen_zxid || what.session <= latest_forgotten_;
    if (has_seen_more) return turn_away(at, by, refusal{});
    if (leader_ == at) {
        if (!tracker_.touch(what.session, agenda_.now())) return turn_away(at, by, session_over{});
        return admit(at, by, what.session);
    }
    // It asks its own tracker, which no other server goes by any more.
    if (here.deposed && here.replica.has_session(what.session)) return admit(at, by, what.session);
    link_up(at, revalidate{what.session, by});
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
    const auto role = scenario_.roles_known ? this->role(at) : core::server_role::unknown;
    network_.to_client(by, connect_answer{session, role, here.replica.zxid()});
}

void ensemble::turn_away(server_id at, connection_id by, server_message&& why) {
    trace_.note(agenda_.now(), [&] { return name(at) + " turns a client away"; });
    network_.to_client(by, std::move(why));
    network_.close_by_server(by);
}

void ensemble::on(const server_notices& what) {
    auto* by = network_.find(what.connection);
    if (by == nullptr || !by->server_open) return;
    detach(by->server, what.connection);
    network_.close_by_server(what.connection);
}

// What it had asked for and is on its way to the log goes on; what waits here does not.
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
