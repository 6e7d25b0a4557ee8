// SPDX-License-Identifier: Apache-2.0
// keyspace: the state of a single Redis or SQL server, and how it executes requests. The state has the znodes, the
// watches, each session's deadline on the server's clock, and the events that sessions have not fetched.
//
// | question                            | Redis (scripts)              | SQL (transactions)                          |
// |-------------------------------------|------------------------------|---------------------------------------------|
// | When does the server end expired    | at the start of each request | when a session lists a folder, or when a    |
// | sessions?                           |                              | waiting session polls                       |
// | What moves a session's deadline?    | each request of the session  | each write and each touch of the session    |
// | What is the next transaction's      | the last number + 1, or the  | the last number + 1; an attach raises the   |
// | number?                             | server's time if it is later | number to the server's time                 |
// | What happens to watches when the    | the client sets them again   | they still exist, and the client compares   |
// | client attaches again?              |                              | them with its own                           |
// | How does a client get events whose  | through the watches that it  | it fetches them again                       |
// | answer was lost?                    | sets again                   |                                             |
// | Has a session ended at its          | yes                          | only for its own writes and attaches        |
// | deadline?                           |                              |                                             |
// | What if a client knows changes that | its session ends at its next | its session ends at its next attach         |
// | the server has lost?                | attach                       |                                             |
// | What does a request of an earlier   | nothing                      | it changes no data and no watch             |
// | attachment change?                  |                              |                                             |
//
// Equal commands give equal keyspaces. A server that lost commands equals a keyspace that executed only the other
// commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "local/tree.hpp"
#include "simulation/messages.hpp"
#include "simulation/scenario.hpp"

namespace turnstile::simulation {

// A request as a server executes it.
struct command {
    struct by_hand {
        core::operation op;
        session_id administrator = 0;
    };
    struct close_by_hand {
        session_id session = 0;
    };
    struct reap {};

    // The requester's session. 0: the request is an operator's or another program's, or it opens a session.
    session_id session = 0;
    std::uint64_t connection = 0;  // counts the session's attaches
    std::chrono::microseconds now{};
    std::variant<connect_request, core::operation, drop_watch, look, end_session, by_hand,
                 close_by_hand, reap>
        request;
    std::uint64_t server = 0;  // replication id, new at each start
    bool full = false;         // true: the server has no memory left
    int attempts = 1;          // SQL: attempts until no other transaction interfered
};

struct ended_session {
    session_id session = 0;
    std::vector<std::string> paths;  // paths of the session's znodes
    std::int64_t zxid = 0;
    bool due = false;  // false: the session was closed on request
};

struct command_outcome {
    served answer;
    std::uint64_t connection = 0;  // counts how often sessions attached to the server
    std::int64_t zxid = 0;         // number of the transaction
    std::vector<ended_session> ended;
    std::vector<session_id> told;  // sessions that now have events
    bool touched = false;          // true: the request moves the session's deadline
};

class keyspace {
public:
    keyspace() = default;
    keyspace(server_kind kind, core::duration timeout, local::tree&& first);

    [[nodiscard]] command_outcome carry_out(const command& wanted);

    [[nodiscard]] const local::tree& tree() const noexcept { return tree_; }
    // Returns the time until the session's deadline; nothing if the session has ended.
    [[nodiscard]] std::optional<std::chrono::microseconds> time_left(
        session_id of, std::chrono::microseconds now) const;

private:
    struct session {
        std::uint64_t connection = 1;
        std::chrono::microseconds deadline{};
        std::vector<local::fired_watch> events;
        // SQL: events of the latest answer, which may be lost.
        std::vector<local::fired_watch> fetched;
        std::uint64_t fetched_in_all = 0;
        // SQL: how many of the session's requests created or removed znodes.
        std::int64_t changes = 0;
        // SQL: the session's znodes that other sessions have removed since the session's last request that created or
        // removed znodes.
        std::set<std::string> removed;
    };
    struct step {  // the state of one command
        const command& wanted;
        command_outcome done{};
    };

    [[nodiscard]] bool is_redis() const noexcept { return kind_ == server_kind::redis; }
    void on(const connect_request& request, step& now);
    void on(const core::operation& op, step& now);
    void on(const drop_watch& request, step& now);
    void on(const look& request, step& now);
    void on(const end_session& request, step& now);
    void on(const command::by_hand& request, step& now);
    void on(const command::close_by_hand& request, step& now);
    void on(const command::reap& request, step& now);

    struct history {  // the tree's history at one server
        std::int64_t began = 0;
        std::int64_t last_before = 0;  // the last transaction before this history
    };

    void open(step& now);
    void begin_history(const step& now);
    void raise_number(const step& now);
    [[nodiscard]] bool is_forgotten(const connect_request& request) const;
    [[nodiscard]] bool is_over(const connect_request& request, const step& now) const;
    // Moves the session's deadline. If the session has ended, returns false, with the reason in the answer.
    [[nodiscard]] bool touch(step& now);
    // SQL: true if the session has attached again since the request.
    [[nodiscard]] bool has_moved(step& now) const;
    // SQL: true if the session has not ended.
    [[nodiscard]] bool stands(step& now) const;
    void end_due(step& now, session_id except);
    void end(session_id which, bool due, step& now);
    void next_number(const step& now);
    void tell(std::vector<local::fired_watch>&& events, step& now);
    void fetch(step& now);
    void tell_next(step& now) const;
    [[nodiscard]] bool one_stands_again(const connect_request& request) const;
    struct owned_path {
        session_id owner = 0;
        std::string path;
    };
    // Returns other sessions' znodes that the operation removes. The server notifies these sessions.
    [[nodiscard]] std::vector<owned_path> to_be_removed(const core::operation& op,
                                                        session_id by) const;
    void tell_owners(std::vector<owned_path>&& of, const core::reply& answer);

    server_kind kind_ = server_kind::redis;
    std::chrono::microseconds timeout_{};
    local::tree tree_;
    std::map<session_id, session> sessions_;
    std::uint64_t server_ = 0;  // server of the latest attach
    std::vector<history> histories_;
};

}  // namespace turnstile::simulation
