// SPDX-License-Identifier: Apache-2.0
// The one seam: what recipes may ask of a coordinator, as plain data.
//
// A coordinator is ZooKeeper through its C client (src/zookeeper), a Redis server (src/redis), a database (src/sql),
// the in-memory model of ZooKeeper (src/local), or the simulator. Above it stand pure values that take events in and
// give actions out; they know no thread, no clock and no socket. So everything here is a value, too.
//
// Rules that every coordinator keeps:
// - Each request has a ticket that is never used twice in a session and gets exactly one reply,
//   unless the session object is closed first.
// - One coordinator_session is one session of the servers: one epoch. After `expired`, `auth_failed` or a
//   changed session id it is dead and is closed; a new one is opened.
// - A session's requests are carried out and answered in the order in which they were submitted.
// - Connections are numbered from 1 in each session, upwards. One is attached after `detached` of the one before.
// - Replies, watch events and link events are delivered one at a time, in the order in which the
//   servers sent them, and never from inside a call that the receiver made, but for one that says that it waits
//   (coordinator_session::help).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "turnstile/clock.hpp"

namespace turnstile::core {

using time_point = boottime_clock::time_point;
using duration = boottime_clock::duration;

enum class ticket : std::uint64_t {};

// Gives out the tickets of one session.
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
// Bytes that a request has for the length of each path in it.
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
struct multi_op {  // all or none; a container create is not allowed inside (the C client aborts)
    std::vector<multi_part> parts;
    friend bool operator==(const multi_op&, const multi_op&) = default;
};

using operation =
    std::variant<create_op, remove_op, set_op, get_op, exists_op, children_op, multi_op>;

// True for the operations that the servers put through their transaction log.
[[nodiscard]] inline bool is_write(const operation& op) noexcept {
    return std::holds_alternative<create_op>(op) || std::holds_alternative<remove_op>(op) ||
           std::holds_alternative<set_op>(op) || std::holds_alternative<multi_op>(op);
}

// True for a change that a server may not forget while its session goes on: what makes or removes nodes, and a multi that
// sets some, by which a holder leaves what others go by. Not for a set alone, nor for a multi that only checks.
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
    answered,  // the servers' word: `error` says which
    unknown,   // it may or may not have been carried out, or may yet be
    not_sent,  // it was not carried out and will not be: it never left this process
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
    not_read_only,    // a write to a partitioned server
    rolled_back,      // a part of a multi that failed because of another part
    session_expired,  // the link event `expired` follows or has come
    session_moved,    // refused: the session lives on another connection by now
    auth_failed,
    quota_exceeded,  // the znodes or the bytes that an operator allows below a path are used up
    throttled,       // thrown away unread, since it had waited for too long at the server
    local_session,   // the session lives at one server only, and may own no znode
    other,
};

// An answer that shows that a majority and the session stood behind it, if the request was a write.
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
    std::int64_t ctime = 0;  // milliseconds since 1970, the leader's clock
    std::int64_t mtime = 0;
    std::int32_t version = 0;
    std::int32_t cversion = 0;
    std::int32_t aversion = 0;
    std::int64_t ephemeral_owner = 0;  // session id, 0 for a node that is not ephemeral
    std::int32_t data_length = 0;
    std::int32_t num_children = 0;
    friend bool operator==(const stat&, const stat&) = default;
};

// What a server is in its ensemble, as far as this is known.
enum class server_role { unknown, standalone, leader, follower, observer, read_only };

// What a server says of its configuration.
struct server_pace {
    duration tick{};
    int sync_limit = 0;  // in ticks
    friend bool operator==(const server_pace&, const server_pace&) = default;
};

struct reply {
    ticket id{};
    core::outcome outcome = core::outcome::not_sent;
    server_error error = server_error::ok;  // when answered
    std::uint64_t connection = 0;           // which connection carried it, counted from 1
    time_point sent{};                      // taken before the request was handed to the client
    std::string path;                       // create: the name that the servers made
    std::string data;                       // get
    // create, get, exists, set, children; multi that is ok: as its last set left that znode
    turnstile::core::stat stat;
    std::vector<std::string> children;   // children: names, in no order
    std::vector<server_error> parts;     // multi: one for each part
    std::vector<std::string> paths;      // multi: the name that each create made, else empty
    std::vector<std::int32_t> versions;  // multi that is ok: what each create and set left, else -1
    friend bool operator==(const reply&, const reply&) = default;
};

// A server's answer that is no more than its error; ok: it did what was asked, and tells nothing.
[[nodiscard]] inline reply answered(server_error error) {
    reply answer;
    answer.outcome = outcome::answered;
    answer.error = error;
    return answer;
}

// The word is about the session, which this connection no longer carries, and not about the request.
[[nodiscard]] constexpr bool is_about_the_session(server_error why) noexcept {
    return why == server_error::session_expired || why == server_error::session_moved;
}

// A server has answered the request itself.
[[nodiscard]] inline bool is_heard(const reply& answer) noexcept {
    return answer.outcome == outcome::answered && !is_about_the_session(answer.error);
}

// ---- events ---------------------------------------------------------------------------------

enum class watch_kind { created, deleted, changed, children };

struct watch_event {
    watch_kind kind{};
    std::string path;
    std::uint64_t connection = 0;  // on which connection it arrived
    friend bool operator==(const watch_event&, const watch_event&) = default;
};

enum class link_kind {
    attached,            // a connection is there: session_id, timeout, connection, server are set
    attached_read_only,  // the same, to a server cut off from its majority
    detached,            // the connection is gone; the session may live on
    role_known,  // `role` of the server of `connection`, `unknown` if it does not tell; `pace`, `foreign`
    leader_not_found,  // after seek_leader: no server says that it leads
    found_elsewhere,   // after look_elsewhere: a server that leads answers over another connection
    expired,           // the servers say that the session is over: this object is dead
    auth_failed,       // the credentials were refused: this object is dead
};

// For a session whose connection answers nothing: is there another way to the servers?
struct look_elsewhere {
    std::uint64_t connection = 0;
    duration within{};  // later answers are of no use
    friend bool operator==(const look_elsewhere&, const look_elsewhere&) = default;
};

struct link_event {
    link_kind kind{};
    std::uint64_t connection = 0;
    std::int64_t session_id = 0;
    duration timeout{};  // as negotiated
    server_role role = server_role::unknown;
    std::string server;                 // "host:port", for people
    std::optional<server_pace> pace{};  // with role_known, if it tells
    bool foreign = false;               // with role_known: it is not known to be Apache ZooKeeper's
    friend bool operator==(const link_event&, const link_event&) = default;
};

using coordinator_event = std::variant<reply, watch_event, link_event>;

}  // namespace turnstile::core
