// SPDX-License-Identifier: Apache-2.0
// network: the connections between clients and servers.
//
// A connection is a pair of streams: what arrives, arrives in order. It breaks with a message, which is
// lost (a request, or a reply after the request was carried out); both ends notice later, each at its
// own time, and until then send into nothing.
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
    session_id session = 0;  // once the server knows
    bool cut = false;
    bool client_open = true;
    bool server_open = true;
    instant held_until{};  // what arrives waits so long for its server, and keeps its order
    instant last_up{};     // arrival of the latest message
    instant last_down{};
};

class network {
public:
    network(const scenario& scenario, agenda& future, dice& chance, disturbances& faults)
        : scenario_{scenario}, agenda_{future}, dice_{chance}, disturbances_{faults} {}

    connection_id open(client_id client, server_id server);
    // Null once both ends have let it go.
    [[nodiscard]] connection* find(connection_id id);

    void to_server(connection_id id, client_message&& message);
    void to_client(connection_id id, server_message&& message);

    // Draws whether the server's thread that has read this request stands still before it handles it, and cuts the
    // connection if it does.
    [[nodiscard]] bool hold_up(connection_id id);
    // The server sends no event of a watch to a session that may not read the znode.
    [[nodiscard]] bool lose_event(connection_id id);
    // Breaks it without a word.
    void cut(connection_id id);
    // One end lets it go; the other one hears of that in order, unless it is cut.
    void close_by_client(connection_id id);
    void close_by_server(connection_id id);

    void stop_faults() { faulty_ = false; }
    [[nodiscard]] bool faulty() const noexcept { return faulty_; }
    // While a client is partitioned, nothing of it gets through.
    void set_partitioned(client_id client, instant until);
    [[nodiscard]] bool partitioned(client_id client) const;
    // The servers have as many connections of its address as they take: no further one, so long.
    void set_crowded(client_id client, instant until) { crowded_until_[client] = until; }
    [[nodiscard]] bool crowded(client_id client) const { return lasts(crowded_until_, client); }
    // Its requests wait for so long in the servers that they are thrown away, for the most part.
    void set_throttled(client_id client, instant until) { throttled_until_[client] = until; }
    // Now, or so lately.
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
