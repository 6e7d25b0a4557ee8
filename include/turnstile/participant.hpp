// SPDX-License-Identifier: Apache-2.0
// participant: one member of an election, as any client can ask without taking part.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "turnstile/fencing_token.hpp"

namespace turnstile {

// The queue that participants stand in, and with which of Curator's recipes they share it.
enum class election_protocol {
    selector,  // LeaderSelector's: that of a mutex, with the participant's id in the znode
    latch,     // LeaderLatch's: `_c_<uuid>-latch-<number>`, which a mutex does not see
};

struct participant {
    std::string
        id{};  // what its znode holds; Curator's participants write theirs in the same place
    std::string data{};   // what it publishes, see leader_options::data
    bool leads = false;   // it is the first of the queue; whether its lease is valid only it knows
    std::string znode{};  // the name
    turnstile::fencing_token token{};  // what its leadership carries
    std::int64_t session_id = 0;
    std::chrono::system_clock::time_point since{};  // in the queue, by the leader's clock
};

}  // namespace turnstile
