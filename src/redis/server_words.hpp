// SPDX-License-Identifier: Apache-2.0
// What a Redis server says of itself, and of why it refuses.
//
// Thread safety: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "redis/server_address.hpp"
#include "turnstile/promises.hpp"

namespace turnstile::redis {

// What follows from an error reply. In no case was the request carried out, unless it is_broken_off.
enum class refusal {
    throttled,  // BUSY: a script of another client runs for too long; again later
    full,       // OOM: the memory is used up
    renew,      // NOSCRIPT: the scripts were thrown away; a new connection brings them
    away,  // LOADING, READONLY, MASTERDOWN, ...: this server takes no writes now; again on a new connection
    credentials,  // NOAUTH, WRONGPASS, NOPERM: a wrong password, or a user that lacks rights
    other,
};
[[nodiscard]] refusal judge_refusal(std::string_view error) noexcept;
// The error came from inside a script, where a right was missing: what it had written by then is not taken back.
[[nodiscard]] bool is_broken_off(std::string_view error) noexcept;

// An error reply as it may be shown: of a command that it does not know the server repeats the arguments, and those of
// AUTH are a password.
[[nodiscard]] std::string_view without_arguments(std::string_view error) noexcept;

// From "MOVED slot host:port": the node of the cluster that has the tree. Without a host it is that of `asked`.
[[nodiscard]] std::optional<server_address> moved_to(std::string_view error,
                                                     const server_address& asked);

// From the answer to INFO.
struct server_facts {
    std::string version;  // "7.0.15"
    bool master = false;
    bool cluster = false;
    bool sentinel = false;     // it is no server, but watches some
    bool append_only = false;  // each write goes to a file
    // And is on the disk before it is answered, also while the file is rewritten; from CONFIG, false if that is refused.
    bool fsync_always = false;
    std::int64_t uptime = 0;      // in seconds, by a wall clock that counts whole ones
    int replicas = 0;             // that are connected
    std::string eviction_policy;  // "noeviction"
    friend bool operator==(const server_facts&, const server_facts&) = default;
};
[[nodiscard]] server_facts parse_info(std::string_view info);

// The sentence that says why a server with these facts is not used, for good until it is set up differently; empty if
// it can be. `too_old` is set where the version is the reason.
[[nodiscard]] std::string unfit(const server_facts& facts, bool& too_old);
// The same of a tree that another release made: its keys begin with `tree`, and their layout is of version `found`.
[[nodiscard]] std::string other_layout(std::string_view tree, std::string_view found);

// Each write is on its disk before it is answered.
[[nodiscard]] bool keeps_its_data(const server_facts& facts) noexcept;

// How many seconds a server stays out that started `facts.uptime` ago, so that it is surely `stay_out` since then: its
// seconds are whole ones of two readings, and clocks drift. 0: it is to be used.
[[nodiscard]] std::int64_t stays_out_for(const server_facts& facts, int stay_out) noexcept;

// What a server with these facts promises of every lock on it. A hold is safe while the server keeps its data: that is
// certain where each write is on the disk before it is answered (appendonly yes, appendfsync always) and no replica
// stands by, which could become the master without the last writes. A replica that is added later changes the promise.
// With `sentinels`, and in a cluster, a replica may become the master even where none is connected just now.
[[nodiscard]] turnstile::promises promises_of(const server_facts& facts,
                                              bool sentinels = false) noexcept;

}  // namespace turnstile::redis
