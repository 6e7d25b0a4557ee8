// SPDX-License-Identifier: Apache-2.0
// A Redis server's reports about itself and its refusals.
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

// The meaning of an error reply. The request was never executed, unless is_broken_off.
enum class refusal {
    throttled,  // BUSY: another client's script runs for too long; retry later
    full,       // OOM: the memory is used up
    renew,      // NOSCRIPT: the scripts were discarded; a new connection loads them
    away,  // LOADING, READONLY, MASTERDOWN, ...: takes no writes now; retry on a new connection
    credentials,  // NOAUTH, WRONGPASS, NOPERM: a wrong password, or missing rights
    other,
};
[[nodiscard]] refusal judge_refusal(std::string_view error) noexcept;
// The error came from inside a script that lacked a right: its earlier writes are not rolled back.
[[nodiscard]] bool is_broken_off(std::string_view error) noexcept;

// An error reply that may be shown: for an unknown command the server repeats the arguments, and the arguments of
// AUTH are a password.
[[nodiscard]] std::string_view without_arguments(std::string_view error) noexcept;

// Parses "MOVED slot host:port": the cluster's node that has the tree. Without a host it is the host of `asked`.
[[nodiscard]] std::optional<server_address> moved_to(std::string_view error,
                                                     const server_address& asked);

// Parsed from the answer to INFO.
struct server_facts {
    std::string version;  // "7.0.15"
    bool master = false;
    bool cluster = false;
    bool sentinel = false;     // a sentinel, which watches servers
    bool append_only = false;  // each write goes to a file
    // And is on the disk before the answer, even while the file is rewritten; from CONFIG, false if that is refused.
    bool fsync_always = false;
    std::int64_t uptime = 0;      // in whole seconds, by a wall clock
    int replicas = 0;             // connected replicas
    std::string eviction_policy;  // "noeviction"
    friend bool operator==(const server_facts&, const server_facts&) = default;
};
[[nodiscard]] server_facts parse_info(std::string_view info);

// Returns the reason why a server with these facts cannot be used until it is configured differently; empty if it
// can. Sets `too_old` if the version is the reason.
[[nodiscard]] std::string unfit(const server_facts& facts, bool& too_old);
// The same for a tree of another release: its keys begin with `tree`, and the version of their layout is `found`.
[[nodiscard]] std::string other_layout(std::string_view tree, std::string_view found);

// True if each write is on the disk before its answer.
[[nodiscard]] bool keeps_its_data(const server_facts& facts) noexcept;

// Seconds for which the client must not yet use a server that started `facts.uptime` ago, so that `stay_out` has
// certainly passed: the uptime comes from two readings in whole seconds, and clocks drift. 0: the client may use it.
[[nodiscard]] std::int64_t stays_out_for(const server_facts& facts, int stay_out) noexcept;

// The promises of a server with these facts for every lock on it. A hold is safe while the server keeps its data.
// That is certain if each write is on the disk before the answer (appendonly yes, appendfsync always) and no replica
// could become the master without the last writes. A replica that is added later changes the promise. With
// `sentinels`, and in a cluster, a replica may become the master even if none is connected just now.
[[nodiscard]] turnstile::promises promises_of(const server_facts& facts,
                                              bool sentinels = false) noexcept;

}  // namespace turnstile::redis
