// SPDX-License-Identifier: Apache-2.0
// server: one server of the modelled ensemble, as plain data. ensemble.hpp has the server's actions.
//
// | the server is | the server's work for its clients        | the server's link to the leader             |
// |---------------|------------------------------------------|---------------------------------------------|
// | leading       | It answers reads and writes. A client's  | It has none.                                |
// |               | message extends the session at once.     |                                             |
// | following     | It answers reads and writes. The leader  | The link exists, but may be cut.            |
// |               | extends a session after it has pinged    |                                             |
// |               | this server.                             |                                             |
// | isolated      | It answers reads, and never a write.     | The link is gone, and the server has not    |
// |               |                                          | noticed that.                               |
// | looking       | It has no clients.                       | It has none.                                |
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "local/tree.hpp"
#include "simulation/messages.hpp"

namespace turnstile::simulation {

// session_tracker: decides for the leader when each session expires.
//
// It has the rules of ZooKeeper's SessionTrackerImpl and ExpiryQueue. A deadline is rounded up to the next tick. At its
// deadline a session is doomed: nothing can save it, but the servers accept its messages and writes until it is closed.
// A new leader starts with an empty tracker and restarts all timeouts. Copies are independent.
class session_tracker {
public:
    session_tracker() = default;
    session_tracker(core::duration tick, core::duration timeout) : tick_{tick}, timeout_{timeout} {}

    void track(session_id session, instant touched);
    // Extends the session, unless the leader has selected it for expiry (see doom()). Returns false if the session has
    // ended or is being closed.
    bool touch(session_id session, instant now);
    // Marks the session as doomed, because its deadline has passed. From now on expiry() returns nothing for it.
    void doom(session_id session);
    // Records that the session's end was requested or has happened. From now on the servers refuse its requests.
    void close(session_id session);
    void forget(session_id session) { sessions_.erase(session); }
    // Notes the connection of a write, as ZooKeeper does with a session's owner. Refuses the write if a newer
    // connection of the session has written.
    [[nodiscard]] core::server_error claim(session_id session, connection_id by);

    [[nodiscard]] std::optional<instant> expiry(session_id session) const;
    // Returns the latest effective extension plus the timeout, not rounded up to a tick.
    [[nodiscard]] std::optional<instant> deadline(session_id session) const;

private:
    struct tracked {
        instant touched{};
        instant expiry{};
        connection_id owner{};
        bool doomed = false;
        bool closing = false;
    };

    [[nodiscard]] instant bucket(instant touched) const;

    core::duration tick_{};
    core::duration timeout_{};
    std::map<session_id, tracked> sessions_;
};

enum class standing { leading, following, isolated, looking };

// A request in its connection's queue. A session's requests are answered in order, so a read waits for earlier writes.
struct queued_request {
    client_message message;
    bool write = false;
    std::optional<core::reply> done;  // the reply, when the write has committed
};

struct one_way {
    bool cut = false;
    instant last{};  // when the latest message arrives
    instant stalled_until{};
};

struct server {
    standing stands = standing::looking;
    // True: the server is isolated, was the leader, and still believes that it is the leader.
    bool deposed = false;
    std::uint64_t life = 0;  // counts the times that the server began to look for a leader
    local::tree replica;
    std::size_t applied = 0;  // applied transactions of the log
    std::map<session_id, connection_id> attached;
    std::map<connection_id, std::deque<queued_request>> queues;
    std::set<session_id> touched;  // sessions whose extension the leader does not know yet

    instant stopped_until{};  // end of a follower's stop
    instant deaf_until{};     // until then it reads its leader's messages after its clients'

    std::uint64_t link = 0;
    one_way up;
    one_way down;

    [[nodiscard]] bool serves() const noexcept { return stands != standing::looking; }
};

}  // namespace turnstile::simulation
