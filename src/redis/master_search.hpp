// SPDX-License-Identifier: Apache-2.0
// find_servers: finds the server for a session, which the connect string or sentinels name.
//
// All sentinels are asked at once. One answer suffices. If several arrive, the latest configuration counts: a
// sentinel that was cut off, or has just started, may name an old master. The server itself is asked whether it is a
// master (handshake.hpp).
//
// Thread safety: none by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "redis/connect_string.hpp"
#include "redis/sentinel_inquiry.hpp"

namespace turnstile::redis {

struct found_servers {
    welcome result = welcome::away;
    std::string reason;                      // set unless ok
    std::vector<server_address> candidates;  // to be tried in this order
    std::int64_t epoch = 0;                  // the sentinels' configuration's
    core::duration resolving{};              // the resolver's time
};

// Chooses from the answers of all sentinels.
[[nodiscard]] found_servers choose(const std::vector<sentinel_answer>& answers);

using sentinel_inquiries = std::vector<std::unique_ptr<sentinel_inquiry>>;

// A sentinel with a configuration older than `least_epoch` is treated as if it did not know the master.
void leave_out_older(std::vector<sentinel_answer>& answers, std::int64_t least_epoch);

// Waits for more than half of the sentinels, until `deadline` plus the time that the resolver took. Gives up when
// `give_up`, a descriptor, becomes readable. `asked` gets all sentinels except those with unknown names.
[[nodiscard]] found_servers find_servers(const connect_string& where, const tls_context* tls,
                                         core::time_point deadline, int give_up,
                                         std::int64_t least_epoch, sentinel_inquiries& asked);

}  // namespace turnstile::redis
