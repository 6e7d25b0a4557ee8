// SPDX-License-Identifier: Apache-2.0
// network: the connections between clients and servers.
//
// A connection is a pair of ordered streams. It breaks at a message, which is lost: a request, or the reply to an
// executed request. Each end notices the break later, and until then its messages are lost, too.
#pragma once

#include <map>

#include "simulation/agenda.hpp"
#include "simulation/dice.hpp"
#include "simulation/disturbances.hpp"
#include "simulation/scenario.hpp"

namespace turnstile::simulation {

struct connection {
    client_id client = 0;
    server_id server = 0;
    session_id session = 0;  // the server knows it after the client has attached the session
    bool cut = false;
    bool client_open = true;
    bool server_open = true;
    instant held_until{};  // until then, messages wait in order
    instant last_up{};     // when the latest message arrives
    instant last_down{};
};

class network {
public:
    network(const scenario& scenario, agenda& future, dice& chance, disturbances& faults)
        : scenario_{scenario}, agenda_{future}, dice_{chance}, disturbances_{faults} {}

    connection_id open(client_id client, server_id server);
    // Returns the connection; null if both ends have closed it.
    [[nodiscard]] connection* find(connection_id id);

    void to_server(connection_id id, client_message&& message);
    void to_client(connection_id id, server_message&& message);

    // Draws whether a server's thread stops between reading and handling this request. If so, cuts the connection.
    [[nodiscard]] bool hold_up(connection_id id);
    // Draws whether the server withholds the event of a watch from a session that may not read the znode.
    [[nodiscard]] bool lose_event(connection_id id);
    // Breaks the connection without notice to either end.
    void cut(connection_id id);
    // The client or the server closes its end of the connection. If the connection is not cut, the other end learns of
    // the close after the earlier messages.
    void close_by_client(connection_id id);
    void close_by_server(connection_id id);

    void stop_faults() { faulty_ = false; }
    [[nodiscard]] bool faulty() const noexcept { return faulty_; }
    // While a client is partitioned, no message from it or to it arrives.
    void set_partitioned(client_id client, instant until);
    [[nodiscard]] bool partitioned(client_id client) const;
    // The client's address has used up its connections. Until this time the servers accept no further connection.
    void set_crowded(client_id client, instant until) { crowded_until_[client] = until; }
    [[nodiscard]] bool crowded(client_id client) const { return lasts(crowded_until_, client); }
    // The servers discard most requests of this client until `until`, because the requests wait too long there.
    void set_throttled(client_id client, instant until) { throttled_until_[client] = until; }
    // True if the client is throttled now, or was throttled during the time `lately` before now.
    [[nodiscard]] bool throttled(client_id client, core::duration lately = {}) const;

private:
    [[nodiscard]] bool breaks(connection_id id, connection& on);
    [[nodiscard]] core::duration latency();
    [[nodiscard]] core::duration noticing();
    void forget_if_closed(connection_id id);
    using until_then = std::map<client_id, instant>;
    [[nodiscard]] bool lasts(const until_then& ends, client_id client) const;

    const scenario& scenario_;
    agenda& agenda_;
    dice& dice_;
    disturbances& disturbances_;
    bool faulty_ = true;
    std::uint64_t opened_ = 0;
    std::map<connection_id, connection> connections_;
    until_then partitioned_until_;
    until_then crowded_until_;
    until_then throttled_until_;
};

}  // namespace turnstile::simulation
