// SPDX-License-Identifier: Apache-2.0
// messages: the messages between clients and servers, and between followers and their leader. Values.
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
// A number for each connection of a history: a later connection has the larger id.
enum class connection_id : std::uint64_t {};

// ---- client to server -----------------------------------------------------------------------

struct connect_request {
    session_id session = 0;  // 0: a new one
    std::int64_t seen_zxid = 0;
    // Sent to a single server: the watches, and the number of events received.
    local::client_watch_list watches{};
    std::uint64_t heard = 0;
    // Sent to a server of the Redis kind: the tree's history that the session knows, and the number of the last created
    // or removed znode that the client knows.
    std::int64_t history = 0;
    std::int64_t changed = 0;
    // Sent to a server of the SQL kind: the number of the session's changes that it has reported, and the session's
    // znodes that others have removed since.
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
// Sent to a single server: asks whether there are events, and whether other sessions are due.
struct look {
    bool touch = true;
    bool end_others = true;
    bool tells_watches = false;  // SQL: return the server's watches
};
using client_message =
    std::variant<connect_request, core::request, resend_watches, drop_watch, end_session, look>;

// ---- server to client -----------------------------------------------------------------------

struct connect_answer {
    session_id session = 0;
    core::server_role role = core::server_role::unknown;  // learned by a request for it
    std::int64_t zxid = 0;
};
struct session_over {};  // expired
struct refusal {};       // the server is behind the state that this client has seen
struct request_answer {
    core::reply reply;
    std::int64_t zxid = 0;
};
struct watch_fired {
    core::watch_kind kind{};
    std::string path;
    bool missed = false;  // happened while the client was away, and was delivered at its return
};
// A single server's answer to any message: first the events that waited for the session.
struct served {
    enum class word { ok, session_gone, session_moved, away, throttled };
    word verdict = word::ok;
    session_id session = 0;  // to a connect_request
    std::vector<local::fired_watch> events;
    bool missed = false;  // the events happened while the client was away
    std::optional<core::reply> reply;
    bool tells_next = false;                   // the next member is set
    std::optional<core::duration> until_next;  // until another session may expire
    std::int64_t zxid = 0;
    std::optional<local::client_watch_list> watches;  // to a look that requests them
    std::int64_t history = 0;                         // to a connect_request: the current one
    std::int64_t changes = 0;                         // SQL: the session's that the server knows
    std::set<std::string> removed{};                  // SQL: the session's, by others since then
};
using server_message =
    std::variant<connect_answer, session_over, refusal, request_answer, watch_fired, served>;

// ---- between the servers --------------------------------------------------------------------

// A request to the leader for its log, and an entry of the log.
struct proposal {
    enum class sort { open, close, operation, refused, new_leader, reap };
    sort kind = sort::operation;
    session_id session = 0;
    core::operation op;
    core::server_error error = core::server_error::ok;  // refused: the error
    bool by_hand = false;                               // not by the library
    std::optional<server_id> origin;                    // the server that answers it
    connection_id connection{};
    instant proposed{};
    std::int32_t creates_under_way = 0;                      // in the same folder, when proposed
    std::vector<std::pair<server_id, connection_id>> syncs;  // syncs that wait for it
    bool held_up = false;  // a thread of its server was stopped while it handled it
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
    std::size_t index = 0;  // in the log
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
