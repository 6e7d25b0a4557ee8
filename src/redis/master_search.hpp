// SPDX-License-Identifier: Apache-2.0
// find_servers: which server a session goes to: the one that the connect string names, or the one that sentinels name.
//
// All sentinels are asked at once. One answer is enough, but where several are to be had, that of the latest
// configuration counts: a sentinel that was cut off, or has just started, may name a master of the past. Whether the
// server is a master is asked at the server itself (handshake.hpp).
//
// Thread safety: none of its own.
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
    std::string reason;                      // where it is not ok
    std::vector<server_address> candidates;  // to be tried in this order
    std::int64_t epoch = 0;                  // of the sentinels' configuration
    core::duration resolving{};              // what their names took
};

// Of the answers of all sentinels.
[[nodiscard]] found_servers choose(const std::vector<sentinel_answer>& answers);

using sentinel_inquiries = std::vector<std::unique_ptr<sentinel_inquiry>>;

// A sentinel that names a configuration older than `least_epoch` counts as one that does not know the master.
void leave_out_older(std::vector<sentinel_answer>& answers, std::int64_t least_epoch);

// Waits for more than half of the sentinels, and up to `deadline` for so many, and for as much longer as the resolver
// took; gives up when `give_up`, a descriptor, becomes readable. `asked` gets all but those whose name is not known.
[[nodiscard]] found_servers find_servers(const connect_string& where, const tls_context* tls,
                                         core::time_point deadline, int give_up,
                                         std::int64_t least_epoch, sentinel_inquiries& asked);

}  // namespace turnstile::redis
