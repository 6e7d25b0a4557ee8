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
// A number for each connection of a history; later connections have larger ids.
enum class connection_id : std::uint64_t {};

// ---- client to server -----------------------------------------------------------------------

struct connect_request {
    session_id session = 0;  // 0: a new session
    std::int64_t seen_zxid = 0;
    // For a single server: the client's watches, and the number of events that the client has received.
    local::client_watch_list watches{};
    std::uint64_t heard = 0;
    // For a server of the Redis kind: the history of the tree that the session knows, and the number of the last znode
    // whose creation or removal the client knows.
    std::int64_t history = 0;
    std::int64_t changed = 0;
    // For a server of the SQL kind: the number of the session's changes that the server has reported, and the session's
    // znodes that others have removed since that.
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
// A message to a single server that requests events, and asks whether other sessions are due.
struct look {
    bool touch = true;
    bool end_others = true;
    bool tells_watches = false;  // SQL: the answer must contain the server's watches
};
using client_message =
    std::variant<connect_request, core::request, resend_watches, drop_watch, end_session, look>;

// ---- server to client -----------------------------------------------------------------------

struct connect_answer {
    session_id session = 0;
    // known from the answer to a separate request
    core::server_role role = core::server_role::unknown;
    std::int64_t zxid = 0;
};
struct session_over {};  // the session has expired
struct refusal {};       // the server's data are older than data that this client has seen
struct request_answer {
    core::reply reply;
    std::int64_t zxid = 0;
};
struct watch_fired {
    core::watch_kind kind{};
    std::string path;
    // true: happened while the client was away, and is delivered at its return
    bool missed = false;
};
// A single server's answer to any message. First come the events that waited for the session.
struct served {
    enum class word { ok, session_gone, session_moved, away, throttled };
    word verdict = word::ok;
    session_id session = 0;  // in the answer to a connect_request
    std::vector<local::fired_watch> events;
    bool missed = false;  // true: the events happened while the client was away
    std::optional<core::reply> reply;
    bool tells_next = false;                   // true: the next member is set
    std::optional<core::duration> until_next;  // time until another session may expire
    std::int64_t zxid = 0;
    std::optional<local::client_watch_list> watches;  // in the answer to a poll that requests them
    // the current history, in the answer to a connect_request
    std::int64_t history = 0;
    // SQL: number of the session's changes that the server knows
    std::int64_t changes = 0;
    // SQL: znodes of the session that others have removed since that change
    std::set<std::string> removed{};
};
using server_message =
    std::variant<connect_answer, session_over, refusal, request_answer, watch_fired, served>;

// ---- messages between the servers -----------------------------------------------------------

// A request for the leader's log, or an entry of the log.
struct proposal {
    enum class sort { open, close, operation, refused, new_leader, reap };
    sort kind = sort::operation;
    session_id session = 0;
    core::operation op;
    core::server_error error = core::server_error::ok;  // set for `refused`
    bool by_hand = false;             // true: the request does not come from the library
    std::optional<server_id> origin;  // server that answers the request
    connection_id connection{};
    instant proposed{};
    // number of creates in this folder that were in progress at the proposal
    std::int32_t creates_under_way = 0;
    std::vector<std::pair<server_id, connection_id>> syncs;  // syncs that wait for this proposal
    bool held_up = false;  // true: its server's thread was stopped while it handled the request
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
