// SPDX-License-Identifier: Apache-2.0
// server_dump: parses ZooKeeper servers' answers to the commands "cons" and "dump", which list sessions.
//
// Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::cli {

struct session_connection {
    std::string address;  // the client's, as the server sees it
    std::chrono::milliseconds timeout{};
    friend bool operator==(const session_connection&, const session_connection&) = default;
};

// Returns the connections that have a session, by session id.
[[nodiscard]] std::map<std::int64_t, session_connection> parse_cons(std::string_view answer);

// Returns the ephemeral znodes by session id. Their paths include the chroot.
[[nodiscard]] std::map<std::int64_t, std::vector<std::string>> parse_dump(std::string_view answer);

}  // namespace turnstile::cli
