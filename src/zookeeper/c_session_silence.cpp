// SPDX-License-Identifier: Apache-2.0
// The part of c_session that moves from a silent connection to a server that answers (docs/why/silence.md).
#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "zookeeper/c_session.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/server_words.hpp"

namespace turnstile::zookeeper {

bool c_session::may_leave(std::uint64_t connection) const noexcept {
    return connection_ == connection && !closed_ &&
           (phase_ == phase::attached || phase_ == phase::moving);
}

void c_session::look_for_another(const core::look_elsewhere& wanted) {
    helper_.post([this, wanted] { look(wanted); });
}

void c_session::look(const core::look_elsewhere& wanted) {
    changed_.clear();
    {
        const base::lock_guard lock{mutex_};
        if (!may_leave(wanted.connection)) return;
    }
    auto found = find_another(wanted, connected_server());
    if (!found) return;
    const base::lock_guard turn{turn_};
    core::link_event event;
    {
        const base::lock_guard lock{mutex_};
        if (!may_leave(wanted.connection)) return;
        event.kind = core::link_kind::found_elsewhere;
        event.connection = wanted.connection;
        event.session_id = identity_.id;
        elsewhere_ = std::move(found);
    }
    deliver(std::move(event));
}

// Asks all other servers at once. If none of them leads, asks the current server over a new connection.
std::optional<way_to_leader> c_session::find_another(const core::look_elsewhere& wanted,
                                                     const socket_address& present) const {
    const auto known = resolve_all(servers_);
    const auto here = to_string(present, address_form::for_c_client);
    auto others = known.addresses;
    std::erase_if(others, [&here](const socket_address& each) {
        return to_string(each, address_form::for_c_client) == here;
    });
    const auto leads = [](const word_answer& answer) {
        const auto role = answer.whole ? parse_role(answer.text) : core::server_role::unknown;
        return role == core::server_role::leader || role == core::server_role::standalone;
    };
    auto chance = base::random::from_system();
    const auto limit = std::min<core::duration>(wanted.within / 2, k_role_limit);
    for (const auto& asked : {others, std::vector{present}}) {
        const auto answers = ask_servers(asked, "srvr", changed_.fd(), limit, leads);
        const auto found = std::find_if(answers.begin(), answers.end(), leads);
        if (found == answers.end()) continue;
        const auto& server = asked[static_cast<std::size_t>(found - answers.begin())];
        if (known.host_of.count(to_string(server, address_form::for_c_client)) == 0) continue;
        return way_from_silence(present, server, known, chance);
    }
    return std::nullopt;
}

void c_session::leave_server(std::uint64_t connection) {
    helper_.post([this, connection] { leave_silent_server(connection); });
}

void c_session::leave_silent_server(std::uint64_t connection) {
    std::optional<way_to_leader> to;
    {
        const base::lock_guard turn{turn_};
        changed_.clear();  // before the check of closed_: close() sets closed_ and changed_
        {
            const base::lock_guard lock{mutex_};
            // If there is no current server, the connection has ended by itself, and its session event follows.
            if (!may_leave(connection) || !elsewhere_ || connected_server().length == 0) return;
            to = std::exchange(elsewhere_, std::nullopt);
            to_leader_.reset();
            listed_ = to->addresses;
        }
        tell_departure();
        reconnect(*to);
    }
    to->hosts.erase(to->hosts.begin());  // the address that refuses connections
    await_arrival(std::move(*to));
}

}  // namespace turnstile::zookeeper
