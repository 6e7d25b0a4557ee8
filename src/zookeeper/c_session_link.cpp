// SPDX-License-Identifier: Apache-2.0
// The part of c_session that handles the C client's events: the start and the end of the connection.
#include <new>
#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "zookeeper/c_session.hpp"

namespace turnstile::zookeeper {

void c_session::on_event(zhandle_t* /*handle*/, int type, int state, const char* path, void* self) {
    c_session& me = *static_cast<c_session*>(self);
    // An exception must not leave a callback of the C client.
    base::finish_or_end("an event of the ZooKeeper client", [&] {
        const base::lock_guard turn{me.turn_};
        if (type == ZOO_SESSION_EVENT) {
            me.session_event(state);
        } else if (const auto kind = to_watch_kind(type); kind && path != nullptr) {
            core::watch_event event{*kind, path, 0};
            {
                const base::lock_guard lock{me.mutex_};
                event.connection = me.state_.connection();
            }
            me.outlet_.deliver(std::move(event));
        }
        me.deliver_settled();
    });
}

void c_session::enter() {
    session_entrance entrance{servers_, settings_, *known_, closing_.fd()};
    while (const auto way = entrance.next()) {
        if (way->own && way->server.security) handle_.make_tunnel();
        const auto hosts = way->own ? handle_.hosts_from(way->server) : handle_.hosts();
        const base::lock_guard turn{turn_};
        if (outlet_.is_closed()) return;
        {
            const base::lock_guard lock{mutex_};
            state_.enter(way->clock);
            if (way->is_unasked) suspicion_.opened_unasked();
        }
        try {
            return handle_.open(hosts, way->own ? &*way->own : nullptr, {on_event, this});
        } catch (const std::bad_alloc&) {
            throw;  // ends the process, like any lack of memory in this thread
        } catch (const std::exception& failure) {  // no thread, descriptor or address is left
            log::write(log_level::warning, "cannot open a session: {}", failure.what());
        }
    }
}

void c_session::session_event(int state) {
    {
        const base::lock_guard lock{mutex_};
        if (state_.is_dead()) return;
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
    // When its list of servers has changed, the C client may change servers without an event for the end of the old
    // connection. So the session ends that connection here.
    detach();
    core::link_event event;
    core::session_identity own;
    socket_address server;
    {
        const base::lock_guard lock{mutex_};
        const bool asks = suspicion_.begin_to_ask(kind);
        if (suspicion_.is_asking() && !asks) return;
        state_.identify(handle_.identity(), handle_.timeout());
        server = handle_.server();
        // The core must not use the session before a server has listed the session's znodes: another client may have
        // the session, too.
        if (asks) {
            helper_.post([this, server] { ask_what_is_owned(server); });
            return;
        }
        suspicion_.attached(boottime_clock::now());
        state_.attach();
        event = state_.event(kind);
        event.timeout = state_.timeout();
        event.server = to_string(server, address_form::for_people);
        own = state_.identity();
    }
    known_->failure.clear();
    const auto connection = event.connection;
    log::write(log_level::debug, "session {:#x}: connection {} goes to {}", event.session_id,
               connection, event.server);
    // The guardian, a process that closes the session after a crash, must know the session before the client uses it.
    guardian_.begin(own, event.timeout, servers_.security(), server);
    outlet_.deliver(std::move(event));
    {
        const base::lock_guard lock{mutex_};
        if (!state_.is_usable()) return;
        requests_.reveal_gap();
        requests_.remove_left_over_watches();
    }
    changed_.set();
    if (settings_.detect_role) {
        helper_.post([this, connection, server] { learn_role(connection, server); });
        return;
    }
    const base::lock_guard lock{mutex_};
    if (state_.is_usable() && knowledge_.wants_examination()) requests_.identify({});
}

void c_session::detach() {
    core::link_event event;
    bool suspicious = false;
    {
        const base::lock_guard lock{mutex_};
        if (!state_.is_linked()) return;
        state_.detach();
        suspicious = suspicion_.detached(boottime_clock::now(), state_.timeout());
        event = state_.event(core::link_kind::detached);
    }
    changed_.set();
    outlet_.deliver(std::move(event));
    if (suspicious)
        helper_.post([this] { look_for_sharer(sharing_suspicion::cause::early_ends, {}); });
}

// Reports the session as expired at once. Otherwise the holders of its locks would learn of the loss only when the
// lease ends, the time for which the client relies on the session.
void c_session::give_up_to_older_data() {
    const base::lock_guard turn{turn_};
    {
        const base::lock_guard lock{mutex_};
        if (!state_.is_detached() || state_.is_closed() || state_.identity().id == 0) return;
    }
    die(core::link_kind::expired);
}

void c_session::die(core::link_kind why) {
    core::link_event event;
    {
        const base::lock_guard lock{mutex_};
        state_.die();
        event = state_.event(why);
        outlet_.give_up_incomplete();
    }
    changed_.set();
    outlet_.deliver_complete();
    outlet_.deliver(std::move(event));
}

}  // namespace turnstile::zookeeper
