// SPDX-License-Identifier: Apache-2.0
// network: the connections between clients and servers.
//
// A connection is a pair of streams, each of which keeps its order. It breaks at a message, which is lost (a request,
// or a reply after the request was executed). Each end notices that at its own later time, and until then its
// messages are lost.
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
    session_id session = 0;  // once the server knows it
    bool cut = false;
    bool client_open = true;
    bool server_open = true;
    instant held_until{};  // messages wait until then for their server, in order
    instant last_up{};     // arrival of the latest message
    instant last_down{};
};

class network {
public:
    network(const scenario& scenario, agenda& future, dice& chance, disturbances& faults)
        : scenario_{scenario}, agenda_{future}, dice_{chance}, disturbances_{faults} {}

    connection_id open(client_id client, server_id server);
    // Null once both ends have closed it.
    [[nodiscard]] connection* find(connection_id id);

    void to_server(connection_id id, client_message&& message);
    void to_client(connection_id id, server_message&& message);

    // Draws whether the server's thread that has read this request is stopped before it handles it. If so, cuts the
    // connection.
    [[nodiscard]] bool hold_up(connection_id id);
    // Draws whether the server withholds a watch's event from a session that may not read the znode.
    [[nodiscard]] bool lose_event(connection_id id);
    // Breaks the connection silently.
    void cut(connection_id id);
    // A close by one end; the other end learns of it in order, unless the connection is cut.
    void close_by_client(connection_id id);
    void close_by_server(connection_id id);

    void stop_faults() { faulty_ = false; }
    [[nodiscard]] bool faulty() const noexcept { return faulty_; }
    // While a client is partitioned, none of its messages arrive.
    void set_partitioned(client_id client, instant until);
    [[nodiscard]] bool partitioned(client_id client) const;
    // The servers have the allowed number of connections of this client's address: until then they accept no further
    // one.
    void set_crowded(client_id client, instant until) { crowded_until_[client] = until; }
    [[nodiscard]] bool crowded(client_id client) const { return lasts(crowded_until_, client); }
    // The client's requests wait so long in the servers that most are discarded.
    void set_throttled(client_id client, instant until) { throttled_until_[client] = until; }
    // Returns whether that is so now, or was within `lately`.
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
