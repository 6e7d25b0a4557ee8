// SPDX-License-Identifier: Apache-2.0
// server: one server of the modelled ensemble, as plain data; ensemble.hpp has its actions.
//
// | standing  | its clients                                 | its link to the leader |
// |-----------|---------------------------------------------|------------------------|
// | leading   | served; messages renew sessions at once     | none                   |
// | following | served; renewals wait for the leader's ping | alive, maybe cut       |
// | isolated  | reads answered, writes never                | gone, unnoticed        |
// | looking   | none                                        | none                   |
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

// A request in its connection's queue: a session's requests are answered in order, and a read waits for the earlier
// writes.
struct queued_request {
    client_message message;
    bool write = false;
    std::optional<core::reply> done;  // the reply of a committed write
};

struct one_way {
    bool cut = false;
    instant last{};  // arrival of the latest message
    instant stalled_until{};
};

struct server {
    standing stands = standing::looking;
    bool deposed = false;    // isolated: was the leader, and still believes it
    std::uint64_t life = 0;  // number of times that it began to look for a leader
    local::tree replica;
    std::size_t applied = 0;  // number of transactions of the log
    std::map<session_id, connection_id> attached;
    std::map<connection_id, std::deque<queued_request>> queues;
    std::set<session_id> touched;  // not reported to the leader yet

    instant stopped_until{};  // for a stopped follower
    instant deaf_until{};     // and reads its leader's messages after its clients'

    std::uint64_t link = 0;
    one_way up;
    one_way down;

    [[nodiscard]] bool serves() const noexcept { return stands != standing::looking; }
};

}  // namespace turnstile::simulation
