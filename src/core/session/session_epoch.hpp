// SPDX-License-Identifier: Apache-2.0
// session_epoch: what a client has and knows of one session of the servers, from its opening to its end; inside it, what
// it has of one connection to a server. The end of either is one assignment: nothing of it is left.
//
//     client life > session_epoch > server_connection
//
// What an epoch ends with need not be given back: its session takes watches and ephemeral znodes with it.
//
// Thread safety: none, values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/seam/seam.hpp"
#include "core/session/abandoned_creates.hpp"
#include "core/session/confirmations.hpp"
#include "core/session/creation_batch.hpp"
#include "core/session/id_set.hpp"
#include "core/session/removal_queue.hpp"
#include "core/session/request_window.hpp"
#include "core/session/retry.hpp"
#include "core/session/routes.hpp"
#include "core/session/session_watches.hpp"
#include "core/session/shared_lists.hpp"

namespace turnstile::core {

// Whether a connection is to the server that the session is to stay at (placement_steps.hpp).
struct stay {
    enum class stage {
        undecided,  // the server's role is asked for
        seeking,    // the coordinator moves the session to the leader
        settled,
    };
    stage now = stage::undecided;
    time_point since{};
    std::optional<server_role> told{};  // by the coordinator, `unknown` if the server does not tell
    std::optional<server_pace> pace{};
    bool leader_missing = false;  // no server says that it leads
    friend bool operator==(const stay&, const stay&) = default;
};

// To a server with a majority.
struct server_connection {
    std::uint64_t number = 0;
    std::string server;
    server_role role = server_role::unknown;  // that a lease may rest on
    time_point attached_at{};
    time_point last_sent{};             // of any request
    core::retry retry;                  // of what came to nothing
    core::confirmations confirmations;  // when the next confirmation is due
    std::optional<ticket> search{};     // for an abandoned create, under way
    core::stay stay{};
    id_set behind{};  // contenders that have not gone on yet on this connection, for want of room
    friend bool operator==(const server_connection&, const server_connection&) = default;
};
// Cut off from its majority: it answers reads only, and nothing is asked of it.
struct read_only_server {
    std::string server;
    friend bool operator==(const read_only_server&, const read_only_server&) = default;
};
struct no_server {
    friend bool operator==(const no_server&, const no_server&) = default;
};
using server_link = std::variant<no_server, read_only_server, server_connection>;

struct session_epoch {
    session_epoch(time_point opened_at, const removal_limits& removal_bounds,
                  const window_limits& window_bounds)
        : heard_at{opened_at}, window{window_bounds}, removals{removal_bounds} {}

    [[nodiscard]] server_connection* attached() { return std::get_if<server_connection>(&link); }
    [[nodiscard]] const server_connection* attached() const {
        return std::get_if<server_connection>(&link);
    }

    std::int64_t session_id = 0;          // 0 until the first attach
    std::uint64_t latest_connection = 0;  // its number, also when it is gone
    server_link link;
    time_point heard_at;      // send time of the latest answered request, or the attach
    time_point last_write{};  // send time of the latest that committed
    acquisition_id latest_confirmed{};
    std::map<ticket, route> pending;
    request_window window;
    shared_lists lists;
    creation_batch creations;
    removal_queue removals;
    session_watches watches;
    abandoned_creates abandoned;
    std::optional<std::string> replacement{};  // why the session has to end and another be opened
    int moves = 0;                             // to the leader, since the session was there last
    bool short_lease_told = false;
    bool throttling_told = false;

    friend bool operator==(const session_epoch&, const session_epoch&) = default;
};

}  // namespace turnstile::core
