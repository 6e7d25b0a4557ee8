// SPDX-License-Identifier: Apache-2.0
// diagnose: asks each server for its state, to explain why the client gets no session.
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/seam/seam.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

struct diagnosis {
    // The state of each server: "10.0.0.1:2181: Connection refused; zk2: cannot be resolved; 10.0.0.3:2181: no answer;
    // ..."
    std::string text;
    bool is_older = false;  // all servers serve, but their data are older than `seen`
};

// `seen`: the newest transaction that a session has seen; 0: none. Blocks for `limit` at most, plus the time that the
// resolution of the names takes.
[[nodiscard]] diagnosis diagnose(const ensemble_address& servers, core::duration limit,
                                 std::int64_t seen);

// Asks a server that opened no session because of `reason`. Returns the server's state, or `reason` if the answer adds
// nothing. Returns early when `give_up`, a descriptor, becomes readable.
[[nodiscard]] std::string explain(const socket_address& server, const std::string& reason,
                                  int give_up, core::duration limit);

// Recognizes a protocol that is not ZooKeeper's by its first bytes. Returns a text like "speaks TLS, ..." or "speaks
// HTTP, ..."; empty if the bytes begin no known protocol.
[[nodiscard]] std::string foreign_protocol(std::string_view bytes);

}  // namespace turnstile::zookeeper
