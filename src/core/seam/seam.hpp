// SPDX-License-Identifier: Apache-2.0
// The seam: the requests that recipes can send to a coordinator, and the coordinator's replies and events, as plain
// data.
//
// A coordinator is ZooKeeper through its C client (src/zookeeper), a Redis server (src/redis), a database (src/sql),
// the in-memory model of ZooKeeper (src/local), or the simulator. The core, which uses the coordinator, consists of
// pure values: it gets events and returns actions, and knows no thread, clock or socket. So everything in this file is
// a value as well.
//
// Rules that every coordinator keeps:
// - Each request has a ticket that is never used twice in a session. Each request gets exactly one reply, unless the
//   session object is closed first.
// - One coordinator_session is one session of the servers: one epoch. After `expired`, `auth_failed` or a changed
//   session id it is dead; its user closes it and opens a new one.
// - A session's requests are carried out and answered in the order in which they were submitted.
// - Connections are numbered from 1 upwards in each session. A connection attaches only after the event `detached` of
//   the previous connection.
// - Replies, watch events and link events are delivered one at a time, in the order in which the servers sent them.
//   A function that the receiver calls never delivers them itself. Exception: coordinator_session::help.
//
//     ticket_counter   gives each request its number
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "turnstile/clock.hpp"
#include "turnstile/server_role.hpp"

namespace turnstile::core {

using time_point = boottime_clock::time_point;
using duration = boottime_clock::duration;

enum class ticket : std::uint64_t {};

class ticket_counter {
public:
    [[nodiscard]] ticket take() noexcept { return ticket{next_++}; }
    friend bool operator==(const ticket_counter&, const ticket_counter&) = default;

private:
    std::uint64_t next_ = 1;
};

// ---- requests -------------------------------------------------------------------------------

enum class create_mode {
    persistent,
    ephemeral,
    persistent_sequential,
    ephemeral_sequential,
    container
};
[[nodiscard]] constexpr bool is_sequential(create_mode mode) noexcept {
    return mode == create_mode::persistent_sequential || mode == create_mode::ephemeral_sequential;
}
enum class acl_policy { open, creator_only };
enum class watch_mode { none, watch };

inline constexpr std::int32_t k_any_version = -1;
// Bytes of the field that states the length of a path in a request.
inline constexpr std::size_t k_length_field = 4;

struct create_op {
    std::string path;  // for a sequential mode the path without the number
    std::string data;
    create_mode mode = create_mode::persistent;
    acl_policy acl = acl_policy::open;
    friend bool operator==(const create_op&, const create_op&) = default;
};
struct remove_op {
    std::string path;
    std::int32_t version = k_any_version;
    friend bool operator==(const remove_op&, const remove_op&) = default;
};
struct set_op {
    std::string path;
    std::string data;
    std::int32_t version = k_any_version;
    friend bool operator==(const set_op&, const set_op&) = default;
};
struct check_op {  // only inside a multi
    std::string path;
    std::int32_t version = k_any_version;
    friend bool operator==(const check_op&, const check_op&) = default;
};
struct get_op {
    std::string path;
    watch_mode watch =
        watch_mode::none;  // fires on CHANGED and DELETED; set only if the node is there
    friend bool operator==(const get_op&, const get_op&) = default;
};
struct exists_op {
    std::string path;
    watch_mode watch = watch_mode::none;  // set also if the node is not there
    friend bool operator==(const exists_op&, const exists_op&) = default;
};
struct children_op {
    std::string path;
    watch_mode watch =
        watch_mode::none;  // fires on CHILDREN and DELETED; set only if the node is there
    friend bool operator==(const children_op&, const children_op&) = default;
};
using multi_part = std::variant<check_op, create_op, remove_op, set_op>;
struct multi_op {  // executed as a whole or not at all; no container create (the C client aborts)
    std::vector<multi_part> parts;
    friend bool operator==(const multi_op&, const multi_op&) = default;
};

using operation =
    std::variant<create_op, remove_op, set_op, get_op, exists_op, children_op, multi_op>;

// True for operations that the servers write to their transaction log.
[[nodiscard]] inline bool is_write(const operation& op) noexcept {
    return std::holds_alternative<create_op>(op) || std::holds_alternative<remove_op>(op) ||
           std::holds_alternative<set_op>(op) || std::holds_alternative<multi_op>(op);
}

// True for a change that a server must keep as long as the session that made the change lives: an operation that
// creates or removes nodes, or a transaction (multi) in which a holder sets a node's data for other contenders. False
// for a single set request, and for a transaction that only checks.
[[nodiscard]] inline bool changes_nodes(const operation& op) noexcept {
    const auto only_checks = [](const multi_part& part) {
        return std::holds_alternative<check_op>(part);
    };
    if (const auto* multi = std::get_if<multi_op>(&op))
        return !std::all_of(multi->parts.begin(), multi->parts.end(), only_checks);
    return std::holds_alternative<create_op>(op) || std::holds_alternative<remove_op>(op);
}

struct request {
    ticket id{};
    operation op;
    friend bool operator==(const request&, const request&) = default;
};

// ---- replies --------------------------------------------------------------------------------

enum class outcome {
    answered,  // the server answered; `error` has its answer
    unknown,   // the servers may have executed the request, or may still execute it
    not_sent,  // the request never left this process and will not be carried out
};

enum class server_error {
    ok,
    no_node,
    node_exists,
    not_empty,
    bad_version,
    no_auth,
    invalid_acl,
    no_children_for_ephemerals,
    bad_arguments,
    unimplemented,
    not_read_only,    // a write to a server that is cut off from its majority
    rolled_back,      // this part of a multi failed because of another part
    session_expired,  // the link event `expired` follows or has come
    session_moved,    // refused: the session has moved to another connection
    auth_failed,
    quota_exceeded,  // the znodes or bytes that an operator allows below a path are used up
    // The server discarded the request without processing it, because the request had waited too long.
    throttled,
    local_session,  // a session of one server alone, which may own no znode
    other,
};

// True if this answer to a write proves that the server had a majority and that the session existed.
[[nodiscard]] constexpr bool proves_quorum(server_error e) noexcept {
    switch (e) {
        case server_error::ok:
        case server_error::no_node:
        case server_error::node_exists:
        case server_error::not_empty:
        case server_error::bad_version:
        case server_error::no_auth:
        case server_error::no_children_for_ephemerals: return true;
        case server_error::invalid_acl:
        case server_error::bad_arguments:
        case server_error::unimplemented:
        case server_error::not_read_only:
        case server_error::rolled_back:
        case server_error::session_expired:
        case server_error::session_moved:
        case server_error::auth_failed:
        case server_error::quota_exceeded:
        case server_error::throttled:
        case server_error::local_session:
        case server_error::other: return false;
    }
    return false;
}

struct stat {
    std::int64_t czxid = 0;
    std::int64_t mzxid = 0;
    std::int64_t pzxid = 0;
    std::int64_t ctime = 0;  // milliseconds since 1970, by the leader's clock
    std::int64_t mtime = 0;
    std::int32_t version = 0;
    std::int32_t cversion = 0;
    std::int32_t aversion = 0;
    std::int64_t ephemeral_owner = 0;  // session id, 0 for a node that is not ephemeral
    std::int32_t data_length = 0;
    std::int32_t num_children = 0;
    friend bool operator==(const stat&, const stat&) = default;
};

struct server_pace {
    duration tick{};
    int sync_limit = 0;  // in ticks
    friend bool operator==(const server_pace&, const server_pace&) = default;
};

struct reply {
    ticket id{};
    core::outcome outcome = core::outcome::not_sent;
    server_error error = server_error::ok;  // valid if answered
    // Number of the connection that carried the request, counted from 1.
    std::uint64_t connection = 0;
    // The time just before the back end passed the request to its client library.
    time_point sent{};
    std::string path;  // create: the name that the server assigned
    std::string data;  // get
    // The stat of the znode, after create, get, exists, set and children. After a multi that succeeded, the stat of the
    // znode of the multi's last set.
    turnstile::core::stat stat;
    std::vector<std::string> children;  // children: names, in no order
    std::vector<server_error> parts;    // multi: one for each part
    std::vector<std::string> paths;     // multi: the name that each create assigned, else empty
    // The version after each create and set of a multi that succeeded, and -1 for its other parts.
    std::vector<std::int32_t> versions;
    friend bool operator==(const reply&, const reply&) = default;
};

// Makes a reply that contains only the server's error code; `ok` means that the server carried out the request.
[[nodiscard]] inline reply answered(server_error error) {
    reply answer;
    answer.outcome = outcome::answered;
    answer.error = error;
    return answer;
}

// True if the error concerns the session, which has ended or moved, and not the request.
[[nodiscard]] constexpr bool is_about_the_session(server_error why) noexcept {
    return why == server_error::session_expired || why == server_error::session_moved;
}

// True if a server has answered, and the answer concerns the request itself, not the session.
[[nodiscard]] inline bool is_heard(const reply& answer) noexcept {
    return answer.outcome == outcome::answered && !is_about_the_session(answer.error);
}

// ---- events ---------------------------------------------------------------------------------

enum class watch_kind { created, deleted, changed, children };

struct watch_event {
    watch_kind kind{};
    std::string path;
    std::uint64_t connection = 0;  // the connection on which the event arrived
    friend bool operator==(const watch_event&, const watch_event&) = default;
};

enum class link_kind {
    attached,            // attached to a server: session_id, timeout, connection, server are set
    attached_read_only,  // attached to a server that is cut off from its majority
    detached,            // the connection has ended; the session may still live
    // The client knows the role of the server of `connection`; `role` is `unknown` if the server does not report its
    // role. The event has `pace` and `foreign` as well.
    role_known,
    leader_not_found,  // after seek_leader: no server reports that it leads
    found_elsewhere,   // after look_for_another: a leader answered over another connection
    expired,           // the session has expired: this object is dead
    auth_failed,       // the credentials were refused: this object is dead
};

// A search for another server that leads or is standalone, because the session's connection does not answer.
struct look_elsewhere {
    std::uint64_t connection = 0;
    duration within{};  // later answers are ignored
    friend bool operator==(const look_elsewhere&, const look_elsewhere&) = default;
};

struct link_event {
    link_kind kind{};
    std::uint64_t connection = 0;
    std::int64_t session_id = 0;
    duration timeout{};  // the negotiated session timeout
    server_role role = server_role::unknown;
    std::string server;                 // "host:port", for messages
    std::optional<server_pace> pace{};  // with role_known, if the server reports it
    // For the event role_known: true if the client does not know that the server is Apache ZooKeeper's.
    bool foreign = false;
    friend bool operator==(const link_event&, const link_event&) = default;
};

using coordinator_event = std::variant<reply, watch_event, link_event>;

}  // namespace turnstile::core
