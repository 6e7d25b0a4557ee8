// SPDX-License-Identifier: Apache-2.0
// attach_exchange: the requests that attach a session to a server, and the server's replies.
//
// Thread safety: none. Call these functions on the thread that owns the connections (class `line`). The functions give
// up when `give_up`, a descriptor, becomes readable.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "redis/handshake.hpp"
#include "redis/line.hpp"
#include "redis/replica_wait.hpp"
#include "redis/requests.hpp"

namespace turnstile::redis {

// The result of an attempt to attach the session at one server. `ended`: the session must not try further servers.
enum class attach_outcome { attached, failed, ended };

// The reply of the script that attaches a session (lua/attach.lua).
struct attach_reply {
    std::optional<greeting> refused;  // the reason, unless the session is attached or has expired
    bool expired = false;
    answer_head head;
    std::string session;  // its id in digits
    std::string mark;
    std::string history;  // history of the tree
    std::chrono::microseconds clock{};
};

// Each function returns the reason if the server refuses the request; otherwise nothing.
[[nodiscard]] std::optional<greeting> subscribe(line& bells, const std::string& channel,
                                                core::time_point deadline, int give_up);
[[nodiscard]] std::optional<greeting> await_replicas(line& commands, const replica_wait& replicas,
                                                     core::time_point deadline, int give_up);
// Sends the attach request, which the caller has appended to `commands`, and waits for the reply. `prefix`: the prefix
// of the tree's keys.
[[nodiscard]] attach_reply await_attach(line& commands, const std::string& prefix,
                                        core::time_point deadline, int give_up);

}  // namespace turnstile::redis
