// SPDX-License-Identifier: Apache-2.0
// diagnose: what each server answers to a connection just now, for a person who wonders why no session comes.
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/seam/seam.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/socket_address.hpp"

namespace turnstile::zookeeper {

struct diagnosis {
    // "10.0.0.1:2181: Connection refused; zk2: cannot be resolved; 10.0.0.3:2181: no answer; ..."
    std::string text;
    bool is_older = false;  // all servers serve, and with older data than `seen`
};

// `seen`: the newest transaction that a session has seen; 0: none. Blocks for up to `limit`, and for as long as names
// take to be resolved.
[[nodiscard]] diagnosis diagnose(const connect_string& servers, core::duration limit,
                                 std::int64_t seen);

// Asks one server that gave no session for `reason`. Returns `reason` where the server's answer adds nothing.
// Returns early when `give_up`, a descriptor, becomes readable.
[[nodiscard]] std::string explain(const socket_address& server, const std::string& reason,
                                  int give_up, core::duration limit);

// Another protocol by whose rules these bytes begin: "speaks TLS, ...", "speaks HTTP, ..."; empty for none that is known.
[[nodiscard]] std::string foreign_protocol(std::string_view bytes);

}  // namespace turnstile::zookeeper
