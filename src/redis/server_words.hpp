// SPDX-License-Identifier: Apache-2.0
// server_words: parses a Redis server's facts about itself and its error replies.
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

// The meaning of an error reply. The server has not executed the request, unless is_broken_off() is true.
enum class refusal_kind {
    throttled,  // BUSY: another client's script runs for too long; retry later
    full,       // OOM: the server's memory is used up
    renew,      // NOSCRIPT: the server discarded the scripts; a new connection loads them
    away,  // LOADING, READONLY, MASTERDOWN, ...: takes no writes now; retry on a new connection
    credentials,  // NOAUTH, WRONGPASS, NOPERM: a wrong password, or missing rights
    other,
};
[[nodiscard]] refusal_kind judge_refusal(std::string_view error) noexcept;
// True if a script has failed because the user lacks a right. The server does not roll back the script's earlier
// writes.
[[nodiscard]] bool is_broken_off(std::string_view error) noexcept;

// Returns the part of an error reply that is safe for messages. For an unknown command the server repeats the
// arguments, and the arguments of AUTH contain a password.
[[nodiscard]] std::string_view without_arguments(std::string_view error) noexcept;

// Parses "MOVED slot host:port", which names the node that has the tree. If the reply has no host, the result has the
// host of `asked`.
[[nodiscard]] std::optional<server_address> moved_to(std::string_view error,
                                                     const server_address& asked);

// Facts from the server's replies to INFO and CONFIG.
struct server_facts {
    std::string version;  // "7.0.15"
    bool master = false;
    bool cluster = false;
    bool sentinel = false;     // a sentinel, which watches servers
    bool append_only = false;  // the server writes each change to a file
    // True if the server syncs each write to the disk before it replies, even while it rewrites its append-only file.
    // CONFIG reports this; false if the server refuses CONFIG.
    bool fsync_always = false;
    std::int64_t uptime = 0;      // in whole seconds, by a wall clock
    int replicas = 0;             // connected replicas
    std::string eviction_policy;  // "noeviction"
    friend bool operator==(const server_facts&, const server_facts&) = default;
};
[[nodiscard]] server_facts parse_info(std::string_view info);

// Returns the reason why a server with these facts is unsuitable until its configuration changes, or an empty text.
// Sets `too_old` if the reason is the version.
[[nodiscard]] std::string unfit(const server_facts& facts, bool& too_old);
// Returns the message for a tree with the layout of another release. `tree`: the prefix of its keys. `found`: the
// version of its layout.
[[nodiscard]] std::string other_layout(std::string_view tree, std::string_view found);

// True if the server syncs each write to the disk before it replies.
[[nodiscard]] bool keeps_its_data(const server_facts& facts) noexcept;

// Returns for how many more seconds the client must not use a server that started `facts.uptime` ago. The total is
// longer than `stay_out`, because the uptime has whole seconds and clocks drift.
[[nodiscard]] std::int64_t stays_out_for(const server_facts& facts, int stay_out) noexcept;

// Returns the promises (guarantees to the user) that a server with these facts gives for every lock. A held lock is
// safe while the server keeps its data. Two conditions ensure this: the server syncs each write before it replies
// (appendonly yes, appendfsync always), and no replica can become the master without the last writes. With `sentinels`,
// and in a cluster, a replica may become the master even if none is connected now.
[[nodiscard]] turnstile::promises promises_of(const server_facts& facts,
                                              bool sentinels = false) noexcept;

}  // namespace turnstile::redis
