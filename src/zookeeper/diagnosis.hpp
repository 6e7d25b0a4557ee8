// SPDX-License-Identifier: Apache-2.0
// diagnose: each server's current answer to a connection, to explain why no session comes.
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

// `seen`: the newest transaction that a session has seen; 0: none. Blocks for up to `limit`, and for as long as
// resolving the names takes.
[[nodiscard]] diagnosis diagnose(const connect_string& servers, core::duration limit,
                                 std::int64_t seen);

// Asks one server that gave no session for `reason`. Returns `reason` if the server's answer adds nothing. Returns
// early when `give_up`, a descriptor, becomes readable.
[[nodiscard]] std::string explain(const socket_address& server, const std::string& reason,
                                  int give_up, core::duration limit);

// Recognizes another protocol by its first bytes: "speaks TLS, ...", "speaks HTTP, ..."; empty if it is unknown.
[[nodiscard]] std::string foreign_protocol(std::string_view bytes);

}  // namespace turnstile::zookeeper
