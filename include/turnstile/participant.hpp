// SPDX-License-Identifier: Apache-2.0
// participant: a participant of an election. Any client can read the participants; it need not take part.
//
// leader::participants(), leader::present_leader() and leader_watch return participants.
//
// Thread safety: values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "turnstile/fencing_token.hpp"

namespace turnstile {

// The queue in which participants wait. Each value is the queue of a recipe of Curator. Curator's participants share
// this queue with Turnstile's participants.
enum class election_protocol {
    // The queue of Curator's LeaderSelector. It is also the queue of a mutex at the same path. The data of each znode
    // contain the participant's id.
    selector,
    // The queue of Curator's LeaderLatch, with znodes `_c_<uuid>-latch-<number>`. A mutex at the same path ignores
    // these znodes.
    latch,
};

// A participant of an election, as any client can read it.
struct participant {
    // The id, from the data of the participant's znode. Curator's participants also write their ids into these data.
    std::string id{};
    std::string data{};  // published data, see leader_options::data
    // True if the participant is first in the queue. Only the participant itself knows whether its lease is valid.
    bool leads = false;
    std::string znode{};               // name of the znode
    turnstile::fencing_token token{};  // the fencing token of the participant's lead
    // The servers' id of the session that owns the znode.
    std::int64_t session_id = 0;
    // Time of entry into the queue, on the servers' leader's clock.
    std::chrono::system_clock::time_point since{};
};

}  // namespace turnstile
