// SPDX-License-Identifier: Apache-2.0
// find_servers: finds the servers on which a session may be opened, from the connect string or from the sentinels.
//
// The client asks all sentinels at once, and one reply is enough. If the replies differ, the client uses the reply with
// the latest epoch (the number of the sentinels' configuration): a sentinel that was disconnected or has just started
// may name an old master. Later the client asks the named server itself whether it is a master (handshake.hpp).
//
// Thread safety: none. Use each object from one thread at a time.
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
    std::vector<server_address> candidates;  // try them in this order
    std::int64_t epoch = 0;                  // epoch of the sentinels' configuration
    core::duration resolving{};              // the time that the name resolver took
};

[[nodiscard]] found_servers choose(const std::vector<sentinel_answer>& answers);

using sentinel_inquiries = std::vector<std::unique_ptr<sentinel_inquiry>>;

// Sets the result of each answer whose epoch is below `least_epoch` to `away`, as if the sentinel did not know the
// master.
void leave_out_older(std::vector<sentinel_answer>& answers, std::int64_t least_epoch);

// Waits until more than half of the sentinels have named a master, but at most until `deadline` plus the time of the
// name resolution. Gives up when the descriptor `give_up` becomes readable. `asked` receives the inquiries, except the
// inquiries to sentinels whose names were not resolved.
[[nodiscard]] found_servers find_servers(const redis_address& where, const tls::context* tls,
                                         core::time_point deadline, int give_up,
                                         std::int64_t least_epoch, sentinel_inquiries& asked);

}  // namespace turnstile::redis
