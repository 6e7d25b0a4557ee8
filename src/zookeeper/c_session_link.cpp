// SPDX-License-Identifier: Apache-2.0
// The part of c_session that handles the start and the end of the connection.
#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "zookeeper/c_session.hpp"

namespace turnstile::zookeeper {

void c_session::session_event(int state) {
    {
        const base::lock_guard lock{mutex_};
        if (phase_ == phase::dead) return;
    }
    if (state == ZOO_CONNECTED_STATE) {
        attach(core::link_kind::attached);
    } else if (state == ZOO_READONLY_STATE) {
        attach(core::link_kind::attached_read_only);
    } else if (state == ZOO_EXPIRED_SESSION_STATE) {
        die(core::link_kind::expired);
    } else if (state == ZOO_AUTH_FAILED_STATE) {
        die(core::link_kind::auth_failed);
    } else {
        detach();
    }
}

void c_session::attach(core::link_kind kind) {
    // The C client may change servers without a report when its list of servers has changed. So the previous connection
    // ends here.
    detach();
    if (ask_first(kind)) return;
    core::link_event event;
    socket_address server;
    {
        const base::lock_guard lock{mutex_};
        phase_ = phase::attached;
        flaps_.attached(boottime_clock::now());
        ++connection_;
        event = describe_attach(kind);
        server = connected_server();
        event.server = to_string(server, address_form::for_people);
    }
    known_->failure.clear();
    const auto connection = event.connection;
    log::write(log_level::debug, "session {:#x}: connection {} to {}", event.session_id, connection,
               event.server);
    tell_guardian(event, server);
    deliver(std::move(event));
    {
        const base::lock_guard lock{mutex_};
        if (!usable()) return;
        // If the C client has dropped a connection without a report, requests of that connection wait in it for answers
        // that never come. The answer to another request reveals the gap, and the C client then gives up the earlier
        // requests.
        if (pending_.with_client() > 0) send_witness({});
        drop_forgotten_watches();
    }
    changed_.set();
    if (!settings_.detect_role) {
        const base::lock_guard lock{mutex_};
        if (usable() && settings_.examine && software_ != server_software::zookeeper) identify({});
        return;
    }
    helper_.post([this, connection, server] {
        learn_role(connection, server);
        list_names_alone();
    });
}

// The guardian must know the session before the client uses it, so that the guardian can close the session after a
// crash.
void c_session::tell_guardian(const core::link_event& event, const socket_address& server) {
    if (!guardian_) return;
    guardian::guard_session told;
    const auto own = identity();
    told.id = own.id;
    told.secret = own.password;
    told.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(event.timeout);
    if (const auto* const security = servers_.security()) {
        told.security = security->tls;
        told.sasl = security->sasl;
    }
    if (server.length > 0) told.servers.push_back({server.storage, server.length, server.host});
    told.servers.insert(told.servers.end(), addresses_.begin(), addresses_.end());
    guardian_->tell(told);
}

void c_session::tell_guardian_of_end() {
    const auto own = identity();
    if (guardian_ && own.id != 0) guardian_->tell(guardian::forget_session{own.id});
}

core::link_event c_session::describe_attach(core::link_kind kind) {
    const clientid_t* const id = zoo_client_id(handle_);
    identity_.id = id->client_id;
    std::copy(std::begin(id->passwd), std::end(id->passwd), identity_.password.begin());
    core::link_event event;
    event.kind = kind;
    event.connection = connection_;
    event.session_id = identity_.id;
    event.timeout = timeout_ = std::chrono::milliseconds{zoo_recv_timeout(handle_)};
    return event;
}

socket_address c_session::connected_server() const {
    socket_address out;
    socklen_t length = sizeof out.storage;
    auto* const room = reinterpret_cast<sockaddr*>(&out.storage);
    if (zookeeper_get_connected_host(handle_, room, &length) != nullptr) out.length = length;
    return tunnel_ ? tunnel_->server_at(out) : out;
}

void c_session::detach() {
    core::link_event event;
    bool suspicious = false;
    {
        const base::lock_guard lock{mutex_};
        if (phase_ != phase::attached && phase_ != phase::moving) return;
        phase_ = phase::detached;
        suspicious = flaps_.detached(boottime_clock::now(), timeout_);
        event.kind = core::link_kind::detached;
        event.connection = connection_;
        event.session_id = identity_.id;
    }
    changed_.set();
    deliver(std::move(event));
    if (suspicious) helper_.post([this] { look_for_sharer(suspicion::early_ends, {}); });
}

// Reports the session as expired at once, so that its holders need not wait for the end of the lease.
void c_session::give_up_to_older_data() {
    const base::lock_guard turn{turn_};
    {
        const base::lock_guard lock{mutex_};
        if (phase_ != phase::detached || closed_ || identity_.id == 0) return;
    }
    die(core::link_kind::expired);
}

void c_session::die(core::link_kind why) {
    core::link_event event;
    {
        const base::lock_guard lock{mutex_};
        phase_ = phase::dead;
        event.kind = why;
        event.connection = connection_;
        event.session_id = identity_.id;
        give_up_creates();
    }
    changed_.set();
    tell_complete();
    deliver(std::move(event));
}

}  // namespace turnstile::zookeeper
