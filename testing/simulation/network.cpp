// SPDX-License-Identifier: Apache-2.0
#include "simulation/network.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace turnstile::simulation {

namespace {

constexpr double k_noticed_soon = 0.7;

}  // namespace

connection_id network::open(client_id client, server_id server) {
    const connection_id id{++opened_};
    connection opened;
    opened.client = client;
    opened.server = server;
    opened.cut = partitioned(client);
    connections_.emplace(id, opened);
    return id;
}

connection* network::find(connection_id id) {
    const auto found = connections_.find(id);
    return found == connections_.end() ? nullptr : &found->second;
}

void network::to_server(connection_id id, client_message&& message) {
    auto* on = find(id);
    if (on == nullptr || !on->client_open || breaks(id, *on)) return;
    on->last_up = std::max(on->last_up, agenda_.now() + latency());
    agenda_.at(on->last_up, at_server{id, std::move(message)});
}

void network::to_client(connection_id id, server_message&& message) {
    auto* on = find(id);
    if (on == nullptr || !on->server_open || breaks(id, *on)) return;
    on->last_down = std::max(on->last_down, agenda_.now() + latency());
    agenda_.at(on->last_down, at_client{id, std::move(message)});
}

bool network::breaks(connection_id id, connection& on) {
    if (!on.cut && faulty_ && scenario_.cut > 0 && dice_.chance(scenario_.cut) &&
        disturbances_.draw_strike([&] {
            return fmt::format(
                "a message is lost between client {} and server-{}, and their "
                "connection is cut",
                on.client, on.server);
        }))
        cut(id);
    return on.cut;
}

bool network::hold_up(connection_id id) {
    if (!faulty_ || scenario_.held_up <= 0 || !dice_.chance(scenario_.held_up)) return false;
    const bool struck = disturbances_.draw_strike([&] {
        return fmt::format("a create of client {} is held up in server-{}, and the connection cut",
                           find(id)->client, find(id)->server);
    });
    if (struck) cut(id);
    return struck;
}

bool network::lose_event(connection_id id) {
    if (!faulty_ || scenario_.unheard <= 0 || !dice_.chance(scenario_.unheard)) return false;
    return disturbances_.draw_strike([&] {
        return fmt::format("client {} may not read a znode, and no event of its watch is sent",
                           find(id)->client);
    });
}

void network::cut(connection_id id) {
    auto* on = find(id);
    if (on == nullptr || on->cut) return;
    on->cut = true;
    agenda_.after(noticing(), client_notices{id});
    agenda_.after(noticing(), server_notices{id});
}

void network::close_by_client(connection_id id) {
    auto* on = find(id);
    if (on == nullptr || !std::exchange(on->client_open, false)) return;
    if (on->cut) {
        agenda_.after(scenario_.time.session_timeout, server_notices{id});
    } else {
        agenda_.at(std::max(on->last_up, agenda_.now() + latency()), server_notices{id});
    }
    forget_if_closed(id);
}

void network::close_by_server(connection_id id) {
    auto* on = find(id);
    if (on == nullptr || !std::exchange(on->server_open, false)) return;
    if (!on->cut)
        agenda_.at(std::max(on->last_down, agenda_.now() + latency()), client_notices{id});
    forget_if_closed(id);
}

void network::forget_if_closed(connection_id id) {
    const auto found = connections_.find(id);
    if (!found->second.client_open && !found->second.server_open) connections_.erase(found);
}

void network::set_partitioned(client_id client, instant until) {
    partitioned_until_[client] = until;
    for (auto& [id, on] : connections_)
        if (on.client == client) cut(id);
}

bool network::partitioned(client_id client) const {
    return lasts(partitioned_until_, client);
}

bool network::throttled(client_id client, core::duration lately) const {
    if (lately == core::duration{}) return lasts(throttled_until_, client);
    const auto found = throttled_until_.find(client);
    return found != throttled_until_.end() && agenda_.now() < found->second + lately;
}

bool network::lasts(const until_then& ends, client_id client) const {
    const auto found = ends.find(client);
    return faulty_ && found != ends.end() && agenda_.now() < found->second;
}

core::duration network::latency() {
    if (faulty_ && scenario_.slow > 0 && dice_.chance(scenario_.slow) &&
        disturbances_.draw_strike([] { return "a message is slow"; }))
        return dice_.up_to(scenario_.time.slow_latency);
    return dice_.up_to(scenario_.time.client_latency);
}

// Returns how late an end notices the break: soon for a reset, or after a timeout.
core::duration network::noticing() {
    if (dice_.chance(k_noticed_soon)) return latency();
    return dice_.up_to(scenario_.time.session_timeout * 2 / 3);
}

}  // namespace turnstile::simulation
