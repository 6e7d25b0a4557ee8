// SPDX-License-Identifier: Apache-2.0
// What a Redis server says of itself, and of why it refuses.
//
// Thread safety: values and pure functions.
#pragma once

#include <string>
#include <string_view>

#include "turnstile/promises.hpp"

namespace turnstile::redis {

// What follows from an error reply. In no case was the request carried out.
enum class refusal {
    throttled,  // BUSY: a script of another client runs for too long; again later
    full,       // OOM: the memory is used up
    renew,      // NOSCRIPT: the scripts were thrown away; a new connection brings them
    away,  // LOADING, READONLY, MASTERDOWN, ...: this server takes no writes now; again on a new connection
    credentials,  // NOAUTH, WRONGPASS, NOPERM: a wrong password, or a user that lacks rights
    other,
};
[[nodiscard]] refusal judge_refusal(std::string_view error) noexcept;

// From the answer to INFO.
struct server_facts {
    std::string version;  // "7.0.15"
    bool master = false;
    bool cluster = false;
    bool append_only = false;  // each write goes to a file
    bool fsync_always =
        false;  // and is on the disk before it is answered; from CONFIG, false if that is refused
    int replicas = 0;             // that are connected
    std::string eviction_policy;  // "noeviction"
    friend bool operator==(const server_facts&, const server_facts&) = default;
};
[[nodiscard]] server_facts parse_info(std::string_view info);

// The sentence that says why a server with these facts is not used, for good until it is set up differently; empty if
// it can be. `too_old` is set where the version is the reason.
[[nodiscard]] std::string unfit(const server_facts& facts, bool& too_old);

// What a server with these facts promises of every lock on it. A hold is safe while the server keeps its data: that is
// certain where each write is on the disk before it is answered (appendonly yes, appendfsync always) and no replica
// stands by, which could become the master without the last writes. A replica that is added later changes the promise.
[[nodiscard]] turnstile::promises promises_of(const server_facts& facts) noexcept;

}  // namespace turnstile::redis
