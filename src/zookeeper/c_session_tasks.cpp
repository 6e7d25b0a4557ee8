// SPDX-License-Identifier: Apache-2.0
// The tasks of c_session that block. They run on the helper's thread (helper_thread.hpp): they ask for the server's
// role, move the session to another server, and search for another client of the session.
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/random.hpp"
#include "zookeeper/c_session.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/sharer_check.hpp"
#include "zookeeper/way_to_leader.hpp"

namespace turnstile::zookeeper {
namespace {

std::vector<socket_address> servers_to_ask(const ensemble_address& servers,
                                           unresolved_hosts& missing) {
    auto chance = base::random::from_system();
    auto asked = shuffled_addresses(servers, chance, missing);
    asked.resize(std::min(asked.size(), k_most_looks));
    return asked;
}

void log_no_sharer(std::int64_t session) {
    log::write(log_level::info,
               "session {:#x}: the connections of this session end early, one after the other. No "
               "other client has the session, so the cause is a network link or a server",
               static_cast<std::uint64_t>(session));
}

void log_sharer(std::int64_t session, const path_list& foreign) {
    log::write(log_level::error,
               "session {:#x} also belongs to another client: the session owns znodes that this "
               "client did not create ({}, such as {}). A server's machine has restarted, and the "
               "server gave out the session's id again. This client leaves the session open, and "
               "opens another session. To prevent this, start each server a random time after its "
               "machine",
               static_cast<std::uint64_t>(session), foreign.count, foreign.paths.front());
}

}  // namespace

// While `changed_` is set, a task's requests to servers end at once. Each task first clears `changed_` and then checks
// the state. So a change of the state after that check still ends the requests.
void c_session::learn_role(std::uint64_t connection, const socket_address& server) {
    changed_.clear();
    bool is_there = false;
    bool asks_pace = false;
    {
        const base::lock_guard lock{mutex_};
        is_there = state_.is_usable_on(connection);
        asks_pace = settings_.learn_pace && knowledge_.reports_pace();
    }
    if (is_there) {
        const bool asked = asks_pace;
        const auto told = ask_for_role(server, asks_pace, changed_.fd());
        const base::lock_guard lock{mutex_};
        if (asked && !asks_pace) knowledge_.pace_refused();
        if (state_.is_usable_on(connection)) requests_.identify(told);
    }
    if (!handle_.may_list_names()) return;
    {
        const base::lock_guard lock{mutex_};
        if (!state_.is_usable() || handle_.server().length == 0) return;
    }
    handle_.list_names();
}

// Starts the move to the leader once no request is in progress. If the C client left the connection earlier, it would
// drop the requests in progress, and they would get no answer.
void c_session::seek(std::uint64_t connection) {
    changed_.clear();
    {
        const base::lock_guard lock{mutex_};
        if (!state_.is_usable_on(connection)) return;
    }
    auto found = find_leader(servers_, changed_.fd());
    const base::lock_guard turn{turn_};
    core::link_event event;
    {
        const base::lock_guard lock{mutex_};
        if (!state_.is_usable_on(connection)) return;
        if (found) {
            state_.begin_move(*std::move(found));
            if (requests_.is_idle()) helper_.post([this] { move(std::nullopt); });
            return;
        }
        event = state_.event(core::link_kind::leader_not_found);
    }
    outlet_.deliver(std::move(event));
}

void c_session::look(const core::look_elsewhere& wanted) {
    changed_.clear();
    {
        const base::lock_guard lock{mutex_};
        if (!state_.may_leave(wanted.connection)) return;
    }
    auto found = find_another(servers_, wanted, handle_.server(), changed_.fd());
    if (!found) return;
    const base::lock_guard turn{turn_};
    core::link_event event;
    {
        const base::lock_guard lock{mutex_};
        if (!state_.may_leave(wanted.connection)) return;
        state_.found_elsewhere(*std::move(found));
        event = state_.event(core::link_kind::found_elsewhere);
    }
    outlet_.deliver(std::move(event));
}

// Calls state_.detach() and not c_session::detach(), which would end the wait in await_arrival(). The C client's I/O
// thread would notice the new list of servers only at the end of its poll, up to a third of the timeout later. The
// witness, a read that this function sends, wakes the I/O thread. The I/O thread then sends the witness on the new
// connection.
void c_session::move(std::optional<std::uint64_t> silent) {
    std::optional<way_to_leader> to;
    {
        const base::lock_guard turn{turn_};
        changed_.clear();
        const socket_address current = handle_.server();
        core::link_event event;
        {
            const base::lock_guard lock{mutex_};
            // If there is no current server, the connection has ended already, and the C client will report this.
            if (state_.is_closed() || current.length == 0) return;
            if (!silent && state_.is_to_move()) to = state_.take_move();
            if (silent && state_.may_leave(*silent)) to = state_.take_elsewhere();
            if (!to) return;
            if (!silent) to->from = current;
            handle_.note_addresses(silent || to->by_address ? to->addresses : 0);
            state_.detach();
            event = state_.event(core::link_kind::detached);
        }
        if (!silent) log::write(log_level::debug, "moving to the leader, {}", to->hosts.front());
        outlet_.deliver(std::move(event));
        handle_.move(*to);
        const base::lock_guard lock{mutex_};
        if (!state_.is_closed()) requests_.send_witness({});
    }
    if (silent) to->hosts.erase(to->hosts.begin());  // the address that refuses connections
    await_arrival(*std::move(to));
}

// Waits for the attach after a move. The C client itself skips a server that refuses the connection. But the C client
// would wait two thirds of the timeout for a server that does not answer. So this function makes the C client try the
// next server before that time.
void c_session::await_arrival(way_to_leader taken) {
    pollfd change{changed_.fd(), POLLIN, 0};
    std::chrono::milliseconds limit{k_move_limit};
    {
        const base::lock_guard lock{mutex_};
        limit = std::min(
            limit, std::chrono::ceil<std::chrono::milliseconds>(state_.timeout() / k_move_part));
    }
    if (::poll(&change, 1, static_cast<int>(limit.count())) > 0) return;
    const base::lock_guard turn{turn_};
    {
        const base::lock_guard lock{mutex_};
        if (!state_.is_detached() || state_.is_closed()) return;
    }
    const int state = zoo_state(handle_.get());
    // The C client has kept the connection, so it reports no event.
    if (state == ZOO_CONNECTED_STATE) return attach(core::link_kind::attached);
    if (state != ZOO_CONNECTING_STATE && state != ZOO_ASSOCIATING_STATE) return;
    std::rotate(taken.hosts.begin(), taken.hosts.begin() + 1, taken.hosts.end());
    handle_.move(taken);
    const base::lock_guard lock{mutex_};
    if (!state_.is_closed()) requests_.send_witness({});
}

// Checks whether another client has this session. A separate thread normally checks this before the C client has the
// session. But if the first server is read-only, the C client itself opens the session later, at the first server with
// a majority. The check starts at that server, because with localSessionsEnabled no other server knows the session yet.
// The session counts as attached only after the check. The check ends the C client's connection, and the C client then
// attaches once more.
void c_session::ask_what_is_owned(const socket_address& server) {
    look_for_sharer(sharing_suspicion::cause::opened_unasked, server);
    const base::lock_guard turn{turn_};
    {
        const base::lock_guard lock{mutex_};
        suspicion_.has_asked();
        if (state_.is_dead() || state_.is_closed()) return;
    }
    // If the C client is not connected now, it will report its next attach as usual.
    const int state = zoo_state(handle_.get());
    if (state == ZOO_CONNECTED_STATE || state == ZOO_READONLY_STATE) session_event(state);
}

// If the C client opened the session without a check, this client did not create its session mark, the znode that shows
// that a client uses the session (raw_session.hpp). So any session mark belongs to the other client.
void c_session::look_for_sharer(sharing_suspicion::cause why, const socket_address& first) {
    if (known_->requests.ephemerals.is_refused()) return;
    core::session_identity own;
    {
        const base::lock_guard lock{mutex_};
        if (state_.is_dead() || state_.is_closed()) return;
        own = state_.identity();
    }
    sharer_check check{settings_, own};
    auto owned = check.list(first, [this] { return servers_to_ask(servers_, known_->missing); });
    if (!owned) return;
    const bool ends_early = why == sharing_suspicion::cause::early_ends;
    path_list foreign;
    {
        const base::lock_guard lock{mutex_};
        foreign =
            requests_.own().take_foreign(*owned, servers_.chroot, mark_of(own.id), ends_early);
    }
    if (foreign.paths.empty()) {
        if (ends_early) log_no_sharer(own.id);
        return check.settle(!ends_early && settings_.mark);
    }
    guardian_.end(own.id);
    {
        const base::lock_guard turn{turn_};
        bool is_over = false;
        {
            const base::lock_guard lock{mutex_};
            is_over = state_.is_dead() || state_.is_closed();
            if (!is_over) suspicion_.confirm();
        }
        if (!is_over) {
            log_sharer(own.id, foreign);
            die(core::link_kind::expired);
        }
    }
    check.leave(*std::move(owned));
}

}  // namespace turnstile::zookeeper
