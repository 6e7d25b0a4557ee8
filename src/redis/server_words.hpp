// SPDX-License-Identifier: Apache-2.0
// server_words: parses what a Redis server reports about itself, and the errors with which it refuses requests.
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
enum class refusal {
    throttled,  // BUSY: another client's script runs for too long; retry later
    full,       // OOM: the server's memory is used up
    renew,      // NOSCRIPT: the server discarded the scripts; a new connection loads them
    away,  // LOADING, READONLY, MASTERDOWN, ...: takes no writes now; retry on a new connection
    credentials,  // NOAUTH, WRONGPASS, NOPERM: a wrong password, or missing rights
    other,
};
[[nodiscard]] refusal judge_refusal(std::string_view error) noexcept;
// True if the error came from inside a script that lacked a right. The server does not roll back what that script has
// written before.
[[nodiscard]] bool is_broken_off(std::string_view error) noexcept;

// Returns the part of an error reply that messages may show. For an unknown command the server repeats the arguments,
// and the arguments of AUTH contain a password.
[[nodiscard]] std::string_view without_arguments(std::string_view error) noexcept;

// Parses "MOVED slot host:port", which names the cluster's node that has the tree. If the host is missing, the host is
// the host of `asked`.
[[nodiscard]] std::optional<server_address> moved_to(std::string_view error,
                                                     const server_address& asked);

// Facts from the server's answer to INFO, and in part to CONFIG.
struct server_facts {
    std::string version;  // "7.0.15"
    bool master = false;
    bool cluster = false;
    bool sentinel = false;     // a sentinel, which watches servers
    bool append_only = false;  // the server writes each change to a file
    // True if each write is on the disk before the server answers, even while the server rewrites the file. From
    // CONFIG; false if the server refuses CONFIG.
    bool fsync_always = false;
    std::int64_t uptime = 0;      // in whole seconds, by a wall clock
    int replicas = 0;             // connected replicas
    std::string eviction_policy;  // "noeviction"
    friend bool operator==(const server_facts&, const server_facts&) = default;
};
[[nodiscard]] server_facts parse_info(std::string_view info);

// Returns the reason why a server with these facts cannot be used until it is configured differently, or an empty text.
// Sets `too_old` if the reason is the server's version.
[[nodiscard]] std::string unfit(const server_facts& facts, bool& too_old);
// Returns the reason why a tree of another release cannot be used. `tree`: the prefix of its keys. `found`: the version
// of its layout.
[[nodiscard]] std::string other_layout(std::string_view tree, std::string_view found);

// True if each write is on the disk before the server answers.
[[nodiscard]] bool keeps_its_data(const server_facts& facts) noexcept;

// Returns the number of seconds for which the client must not use a server that started `facts.uptime` ago; 0: the
// client may use it. The time is longer than `stay_out`, because the uptime has whole seconds and clocks drift.
[[nodiscard]] std::int64_t stays_out_for(const server_facts& facts, int stay_out) noexcept;

// Returns the promises that a server with these facts gives for every lock. A hold is safe while the server keeps its
// data. That is certain under two conditions. Each write is on the disk before the answer (appendonly yes, appendfsync
// always), and no replica can become the master without the last writes. With `sentinels`, and in a cluster, a replica
// may become the master even if no replica is connected now. A replica that is added later changes the promises.
[[nodiscard]] turnstile::promises promises_of(const server_facts& facts,
                                              bool sentinels = false) noexcept;

}  // namespace turnstile::redis
