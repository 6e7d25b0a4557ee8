// SPDX-License-Identifier: Apache-2.0
#include "simulation/handle.hpp"

#include <algorithm>
#include <variant>

namespace turnstile::simulation {

namespace {

constexpr double k_unknown_first = 0.3;
constexpr double k_unknown_late = 0.3;
constexpr double k_silently_new = 0.1;
constexpr double k_forgotten = 0.03;
constexpr double k_refused = 0.01;

}  // namespace

// ---- connecting -----------------------------------------------------------------------------

void handle::connect() {
    if (connection_ || dead_ || ended_) return;
    // A server may open a new session although the old session and its znodes still exist (failure F27).
    if (session_ != 0 && network_.faulty() && dice_.chance(k_forgotten)) session_ = 0;
    // Servers that returned to an older snapshot refuse the session for ever, even if they have it.
    if (session_ != 0 && network_.faulty() && dice_.chance(k_refused)) refused_ = true;
    if (refused_) return connect_later();
    server_ = leader_ ? *std::exchange(leader_, {}) : dice_.below(scenario_.servers);
    connection_ = network_.open(owner_, server_);
    network_.to_server(*connection_, connect_request{session_, seen_zxid_});
    agenda_.after(scenario_.time.session_timeout / 3, silence_due{*connection_});
}

void handle::receive(connection_id by, const server_message& message) {
    if (connection_ != by) return;
    if (const auto* attached = std::get_if<connect_answer>(&message)) {
        attach(by, *attached);
    } else if (std::holds_alternative<session_over>(message)) {
        lose_session();
    } else if (std::holds_alternative<refusal>(message)) {
        drop_connection();
        connect_later();
    } else if (const auto* answered = std::get_if<request_answer>(&message)) {
        answer(*answered);
    } else if (const auto* fired = std::get_if<watch_fired>(&message)) {
        hear(*fired);
    }
}

// Some servers open a new session at once, and do not report the expiry (failure F27).
void handle::lose_session() {
    drop_connection();
    emit_late();
    if (dice_.chance(k_silently_new)) {
        session_ = 0;
        return connect_later();
    }
    dead_ = true;
    emit_link(core::link_kind::expired);
}

void handle::attach(connection_id by, const connect_answer& answer) {
    session_ = answer.session;
    seen_zxid_ = std::max(seen_zxid_, answer.zxid);
    attached_ = true;
    silence_planned_ = false;
    ++number_;
    emit_link(core::link_kind::attached);
    emit_late();
    if (watch_count() != 0) network_.to_server(by, resend_watches{watches_.list(), seen_zxid_});
    if (answer.role != server_role::unknown || scenario_.place != core::placement::anywhere)
        agenda_.after(dice_.up_to(scenario_.longest_question()), role_learned{by, answer.role});
}

void handle::learn_role(connection_id by, server_role role) {
    if (connection_ == by && attached_) emit_link(core::link_kind::role_known, role);
}

// ---- the move to the leader -------------------------------------------------------------------

void handle::seek_leader(std::uint64_t number) {
    if (attached_ && number == number_) agenda_.after({}, leader_asked{*connection_});
}

void handle::learn_leader(connection_id by, std::optional<server_id> leader) {
    if (connection_ != by || !attached_) return;
    if (!leader) return emit_link(core::link_kind::leader_not_found);
    leader_ = leader;
    move_when_idle();
}

void handle::move_when_idle() {
    if (!leader_ || !attached_ || !open_.empty()) return;
    drop_connection();
    emit_link(core::link_kind::detached);
    agenda_.after(dice_.up_to(scenario_.time.client_latency), connect_due{owner_, epoch_});
}

// ---- requests -------------------------------------------------------------------------------

void handle::submit(core::request&& request, core::time_point local_now) {
    open_request opened{request.id, request.op, local_now, agenda_.now(), false};
    if (dead_) {
        auto refused = reply_to(opened, core::outcome::answered);
        refused.error = core::server_error::session_expired;
        emit(std::move(refused));
    } else if (!attached_ || leader_) {
        emit_late();
        emit(reply_to(opened, core::outcome::not_sent));
    } else {
        open_.push_back(std::move(opened));
        network_.to_server(*connection_, std::move(request));
        expect_answer();
    }
}

core::reply handle::reply_to(const open_request& request, core::outcome how) const {
    core::reply reply;
    reply.id = request.id;
    reply.outcome = how;
    reply.sent = request.sent;
    reply.connection = number_;
    return reply;
}

void handle::answer(const request_answer& response) {
    seen_zxid_ = std::max(seen_zxid_, response.zxid);
    const auto request = std::move(open_.front());
    open_.pop_front();
    auto reply = response.reply;
    reply.sent = request.sent;
    reply.connection = number_;
    if (!request.watch_forgotten) watches_.on_reply(request.op, reply.error);
    emit(std::move(reply));
    move_when_idle();
}

// ---- watches --------------------------------------------------------------------------------

void handle::hear(const watch_fired& watch) {
    if (!watches_.on_event(watch.kind, watch.path)) return;
    if (watch.kind == core::watch_kind::deleted && !watch.missed) woken_.push_back(watch.path);
    emit(core::watch_event{watch.kind, watch.path, number_});
}

void handle::forget_watches(const std::string& path) {
    watches_.forget_watches(path);
    for (auto& request : open_) {
        const auto* get = std::get_if<core::get_op>(&request.op);
        const auto* list = std::get_if<core::children_op>(&request.op);
        if ((get != nullptr && get->path == path) || (list != nullptr && list->path == path))
            request.watch_forgotten = true;
    }
    if (attached_) network_.to_server(*connection_, drop_watch{path});
}

// ---- the end of a connection ----------------------------------------------------------------

// In the model, the search for another server always succeeds. No promise of the library depends on that.
void handle::look_for_another(const core::look_elsewhere& wanted) {
    if (attached_ && wanted.connection == number_)
        agenda_.after(dice_.up_to(wanted.within), found_elsewhere{*connection_});
}

void handle::find_elsewhere(connection_id by) {
    if (connection_ == by && attached_) emit_link(core::link_kind::found_elsewhere);
}

// The core does not expect the connection to end inside this call. So the connection ends in a later event, as when the
// client notices a break.
void handle::leave_server(std::uint64_t number) {
    if (attached_ && number == number_) agenda_.after({}, client_notices{*connection_});
}

std::optional<instant> handle::waits_since() const {
    return open_.empty() ? std::nullopt : std::optional{open_.front().asked_at};
}

void handle::lose_connection() {
    const bool was_attached = attached_;
    drop_connection();
    leader_.reset();
    connect_later();
    if (!was_attached) return;
    std::vector<core::reply> unknown;
    for (const auto& request : open_) unknown.push_back(reply_to(request, core::outcome::unknown));
    open_.clear();
    const bool late = dice_.chance(k_unknown_late);
    const bool first = !late && dice_.chance(k_unknown_first);
    if (!first) emit_link(core::link_kind::detached);
    if (late) {
        late_ = std::move(unknown);
    } else {
        for (auto& reply : unknown) emit(std::move(reply));
    }
    if (first) emit_link(core::link_kind::detached);
}

void handle::emit_late() {
    for (auto& reply : std::exchange(late_, {})) emit(std::move(reply));
}

void handle::emit_link(core::link_kind kind, server_role role) {
    core::link_event event;
    event.kind = kind;
    event.connection = number_;
    event.session_id = session_;
    event.timeout = scenario_.time.session_timeout;
    event.role = role;
    event.server = "server-" + std::to_string(server_);
    emit(std::move(event));
}

void handle::end(ending how) {
    if (ended_) return;
    ended_ = true;
    if (how == ending::orderly && attached_) network_.to_server(*connection_, end_session{});
    if (how == ending::crashed && connection_ && dice_.chance(0.5)) network_.cut(*connection_);
    drop_connection();
}

}  // namespace turnstile::simulation
