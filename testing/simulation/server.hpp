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
