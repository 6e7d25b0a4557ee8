// SPDX-License-Identifier: Apache-2.0
// messages: messages between clients and servers, and between followers and the leader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/tree.hpp"
#include "simulation/drifting_clock.hpp"

namespace turnstile::simulation {

using client_id = std::size_t;
using server_id = std::size_t;
using local::session_id;
// Numbers the connections of a simulated history in order.
enum class connection_id : std::uint64_t {};

// ---- client to server -----------------------------------------------------------------------

struct connect_request {
    session_id session = 0;  // 0: a new session
    std::int64_t seen_zxid = 0;
    // For a single server: the client's watches, and how many events it has received.
    local::client_watch_list watches{};
    std::uint64_t heard = 0;
    // For a Redis server. `history`: the period without loss of data in which the session last attached
    // (keyspace::begin_history). `changed`: the number of the latest creation or removal of a znode that the session
    // knows.
    std::int64_t history = 0;
    std::int64_t changed = 0;
    // For an SQL server. `changes`: how many of the session's requests had created or removed znodes, by the server's
    // latest answer. `removed`: the session's znodes that other sessions have removed since the last of these requests.
    std::int64_t changes = 0;
    std::set<std::string> removed{};
};
struct resend_watches {
    local::client_watch_list watches;
    std::int64_t seen_zxid = 0;
};
struct drop_watch {
    std::string path;
};
struct end_session {};
// Asks a single server for events, and whether other sessions have expired.
struct look {
    bool touch = true;
    bool end_others = true;
    bool tells_watches = false;  // SQL: the answer must have the server's watches
};
using client_message =
    std::variant<connect_request, core::request, resend_watches, drop_watch, end_session, look>;

// ---- server to client -----------------------------------------------------------------------

struct connect_answer {
    session_id session = 0;
    // The server's role. A real client learns it from the answer to a separate request.
    server_role role = server_role::unknown;
    std::int64_t zxid = 0;
};
struct session_over {};  // the session has expired
struct refusal {};       // the client has seen newer data than the server has
struct request_answer {
    core::reply reply;
    std::int64_t zxid = 0;
};
struct watch_fired {
    core::watch_kind kind{};
    std::string path;
    // True: the event happened while the client had no connection, and arrives at its next attach.
    bool missed = false;
};
// A single server's answer to any message, which begins with the session's events.
struct served {
    enum class word { ok, session_gone, session_moved, away, throttled };
    word verdict = word::ok;
    session_id session = 0;  // in the answer to a connect_request
    std::vector<local::fired_watch> events;
    bool missed = false;  // true: the events happened while the client had no connection
    std::optional<core::reply> reply;
    bool tells_next = false;                   // true: the next member is set
    std::optional<core::duration> until_next;  // until another session may expire
    std::int64_t zxid = 0;
    std::optional<local::client_watch_list> watches;  // in the answer to a poll that asks for them
    // In the answer to a connect_request: identifies the server's current period without loss of data
    // (keyspace::begin_history).
    std::int64_t history = 0;
    // SQL: how many of the session's requests have created or removed znodes at this server.
    std::int64_t changes = 0;
    // SQL: the session's znodes that other sessions have removed since the session's last request that created or
    // removed znodes.
    std::set<std::string> removed{};
};
using server_message =
    std::variant<connect_answer, session_over, refusal, request_answer, watch_fired, served>;

// ---- messages between the servers -----------------------------------------------------------

// A request to the leader's log, or an entry of the log.
struct proposal {
    enum class sort { open, close, operation, refused, new_leader, reap };
    sort kind = sort::operation;
    session_id session = 0;
    core::operation op;
    core::server_error error = core::server_error::ok;  // set for `refused`
    bool by_hand = false;                               // true: not from the library
    std::optional<server_id> origin;                    // the server that answers the request
    connection_id connection{};
    instant proposed{};
    // Position of this create, from 0, in a series of creates in its folder (see ensemble::creates_under_way()).
    std::int32_t creates_under_way = 0;
    std::vector<std::pair<server_id, connection_id>> syncs;  // syncs that wait for this proposal
    bool held_up = false;  // true: its server's thread was stopped during the request
};

struct ping {};
struct touches {
    std::set<session_id> sessions;
};
struct revalidate {
    session_id session = 0;
    connection_id connection{};
};
struct revalidated {
    session_id session = 0;
    connection_id connection{};
    bool alive = false;
};
struct committed {
    std::size_t index = 0;  // index in the log
};
struct sync_request {
    connection_id connection{};
};
struct synced {
    connection_id connection{};
};
using link_message =
    std::variant<ping, touches, revalidate, revalidated, proposal, committed, sync_request, synced>;

}  // namespace turnstile::simulation
