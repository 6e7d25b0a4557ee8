// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "verification/search/client.hpp"
#include "verification/search/digest.hpp"

// Hashes a client by members that are cheap to read and that differ between most clients. The interner then compares
// the clients completely.
namespace turnstile::search {

namespace {

void add(digest& sum, const core::reply& reply) {
    sum.add(static_cast<std::uint64_t>(reply.id));
    sum.add(reply.outcome);
    sum.add(reply.error);
    sum.add(reply.connection);
    sum.add(reply.sent);
    sum.add(reply.path);
    sum.add(reply.stat.czxid);
    sum.add(reply.stat.ephemeral_owner);
    for (const auto& child : reply.children) sum.add(child);
}

void add(digest& sum, const sent_request& question) {
    sum.add(static_cast<std::uint64_t>(question.id));
    sum.add(question.op.index());
    sum.add(question.sent);
    sum.add(question.watch_forgotten);
}

struct add_to_server {
    digest& sum;
    void operator()(const sent_request& question) const { add(sum, question); }
    void operator()(const forget_watch& forgotten) const { sum.add(forgotten.path); }
    void operator()(const local::client_watch_list& list) const {
        for (const auto* paths : {&list.data, &list.exists, &list.children}) {
            for (const auto& path : *paths) sum.add(path);
        }
    }
};

struct add_to_client {
    digest& sum;
    void operator()(const answer_on_wire& wire) const {
        add(sum, wire.reply);
        sum.add(wire.request.watch_forgotten);
    }
    void operator()(const core::watch_event& event) const {
        sum.add(event.kind);
        sum.add(event.path);
        sum.add(event.connection);
    }
    void operator()(const core::reply& reply) const { add(sum, reply); }
    void operator()(const core::link_event& event) const {
        sum.add(event.kind);
        sum.add(event.connection);
        sum.add(event.session_id);
    }
};

std::uint64_t hash_of(const core::session_core& session_core) {
    digest sum;
    sum.add(session_core.state());
    sum.add(session_core.epoch());
    sum.add(session_core.session_id());
    sum.add(session_core.owned_bytes());
    sum.add(session_core.watched_paths());
    sum.add(session_core.session_lease().valid_until());
    sum.add(session_core.next_deadline().value_or(core::time_point::min()));
    // The contenders' states are private. The requests that the core sends after a reconnect show most of these states.
    auto copy = session_core;
    copy.on(core::from_session{session_core.epoch(), core::link_event{core::link_kind::detached}},
            core::time_point{});
    core::link_event attached{core::link_kind::attached};
    attached.session_id = session_core.session_id();
    attached.connection = UINT32_MAX;
    attached.timeout = session_core.session_lease().timeout();
    copy.on(core::from_session{session_core.epoch(), attached}, core::time_point{});
    for (const auto& action : copy.take()) {
        const auto* request = std::get_if<core::submit>(&action);
        sum.add(action.index());
        if (request == nullptr) continue;
        sum.add(static_cast<std::uint64_t>(request->request.id));
        sum.add(request->request.op.index());
        if (const auto* get = std::get_if<core::get_op>(&request->request.op)) sum.add(get->path);
        if (const auto* create = std::get_if<core::create_op>(&request->request.op))
            sum.add(create->path);
    }
    return sum.value();
}

}  // namespace

shared_core::shared_core(core::session_core&& value)
    : value_{std::make_shared<const core::session_core>(std::move(value))},
      hash_{hash_of(*value_)} {}

std::uint64_t client::hash() const {
    digest sum;
    sum.add(now_);
    sum.add(touched_);
    sum.add(at_);
    sum.add(rounds_left_);
    sum.add(crashed_);
    sum.add(granted_);
    sum.add(link_);
    sum.add(connection_);
    sum.add(session_);
    for (const auto& entry : up_) std::visit(add_to_server{sum}, entry);
    sum.add(inbox_.size());
    for (const auto& entry : inbox_) std::visit(add_to_client{sum}, entry);
    sum.add(late_.size());
    for (const auto given_up_session : given_up_sessions_) sum.add(given_up_session);
    add_to_server{sum}(watches_.list());
    sum.add(held_back_.size());
    sum.add(core_.hash());
    return sum.value();
}

}  // namespace turnstile::search
