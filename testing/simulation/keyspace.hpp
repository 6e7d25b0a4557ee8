// SPDX-License-Identifier: Apache-2.0
// keyspace: what a single server of the Redis or the SQL kind keeps, and what it does with a request: znodes, watches,
// sessions as deadlines by its own clock, and the events that a session has not fetched yet.
//
// | rule                               | Redis (scripts)              | SQL (transactions)                      |
// |------------------------------------|------------------------------|-----------------------------------------|
// | what is due is ended               | by each request, first       | by lists, and by waiting sessions' looks |
// | a session's deadline moves         | with each of its requests    | with its writes and touches             |
// | a number is                        | the last + 1, or the clock's | the last + 1; attaches raise it to the clock's |
// | watches after a new attach         | set anew by the client       | are there still, and compared by the client |
// | events whose answer was lost       | told by the new watches      | are fetched again                       |
// | a session that is past its deadline | is over                     | is over to its own writes and attaches  |
// | a session that was told more than the server knows | is over with its next attach | the same |
// | a request of an earlier attachment  | does nothing                | changes nothing, and sets and removes no watch |
//
// A value: equal commands give equal keyspaces, so that what a server has lost is played again without it.
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

// A request as a server carries it out.
struct command {
    struct by_hand {
        core::operation op;
        session_id administrator = 0;
    };
    struct close_by_hand {
        session_id session = 0;
    };
    struct reap {};

    session_id session = 0;        // its own; 0: an outsider's, or none yet
    std::uint64_t connection = 0;  // counts the session's attaches
    std::chrono::microseconds now{};
    std::variant<connect_request, core::operation, drop_watch, look, end_session, by_hand,
                 close_by_hand, reap>
        request;
    std::uint64_t server = 0;  // another one after each start: its replication id
    bool full = false;         // the server has no memory left
    int attempts = 1;          // SQL: until no other transaction was in the way
};

struct ended_session {
    session_id session = 0;
    std::vector<std::string> paths;  // of its znodes
    std::int64_t zxid = 0;
    bool due = false;  // else it was asked for
};

struct command_outcome {
    served answer;
    std::uint64_t connection = 0;  // of an attach
    std::int64_t zxid = 0;         // of an operation
    std::vector<ended_session> ended;
    std::vector<session_id> told;  // sessions that have events now
    bool touched = false;          // the session lives on from now
};

class keyspace {
public:
    keyspace() = default;
    keyspace(server_kind kind, core::duration timeout, local::tree&& first);

    [[nodiscard]] command_outcome carry_out(const command& wanted);

    [[nodiscard]] const local::tree& tree() const noexcept { return tree_; }
    // Until the session's deadline; nothing if it is over.
    [[nodiscard]] std::optional<std::chrono::microseconds> time_left(
        session_id of, std::chrono::microseconds now) const;

private:
    struct session {
        std::uint64_t connection = 1;
        std::chrono::microseconds deadline{};
        std::vector<local::fired_watch> events;
        std::vector<local::fired_watch> fetched;  // SQL: by an answer that may be lost
        std::uint64_t fetched_in_all = 0;
        // SQL: the session's requests that made or removed znodes.
        std::int64_t changes = 0;
        std::set<std::string> removed;  // SQL: its znodes that others have removed since the last
    };
    struct step {  // of one command
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

    struct history {  // of the tree at one server
        std::int64_t began = 0;
        std::int64_t last_before = 0;  // number
    };

    void open(step& now);
    void begin_history(const step& now);
    void raise_number(const step& now);
    [[nodiscard]] bool is_forgotten(const connect_request& request) const;
    [[nodiscard]] bool is_over(const connect_request& request, const step& now) const;
    // The session lives on; else the answer says why not.
    [[nodiscard]] bool touch(step& now);
    [[nodiscard]] bool has_moved(step& now) const;  // SQL: has attached anew since
    [[nodiscard]] bool stands(step& now) const;     // SQL: it has not been ended yet
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
    // That znodes of other sessions were removed is told to those.
    [[nodiscard]] std::vector<owned_path> to_be_removed(const core::operation& op,
                                                        session_id by) const;
    void tell_owners(std::vector<owned_path>&& of, const core::reply& answer);

    server_kind kind_ = server_kind::redis;
    std::chrono::microseconds timeout_{};
    local::tree tree_;
    std::map<session_id, session> sessions_;
    std::uint64_t server_ = 0;  // of the latest attach
    std::vector<history> histories_;
};

}  // namespace turnstile::simulation
