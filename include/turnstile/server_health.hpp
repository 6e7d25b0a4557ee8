// SPDX-License-Identifier: Apache-2.0
// server_health: what each server of an ensemble says of itself just now, for operators and for pages.
//
//     for (const auto& server : turnstile::health_of_servers("zk1:2181,zk2:2181", 2s).value())
//         print(server.name, to_string(server.role), server.version, server.problem);
//
// Each server is asked over short connections of its own by four-letter words: `srvr`, which servers answer unless told
// otherwise, and `conf`, which most do not (4lw.commands.whitelist in their zoo.cfg). No session is needed.
//
// Thread safety: functions, from any thread. They block, for as long as names take to be resolved, too.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// What a server says of its configuration, by `conf`. Zero: it does not say, as a standalone server its limits in ticks.
struct server_configuration {
    std::chrono::milliseconds tick{};
    int init_limit = 0;  // in ticks: how long a follower may take to join
    int sync_limit = 0;  // in ticks: how long a follower and the leader may be silent
    std::chrono::milliseconds min_session_timeout{};
    std::chrono::milliseconds max_session_timeout{};
    int max_connections = 0;  // of one address; 0: any number
    friend bool operator==(const server_configuration&, const server_configuration&) = default;
};

struct server_health {
    std::string name;        // as the connect string has it: "zk1:2181"
    std::string address;     // "192.0.2.1:2181"; the name, where it cannot be resolved
    bool reachable = false;  // it takes connections
    bool serves = false;     // it says its role: it is part of an ensemble that works
    std::string problem{};   // one sentence, where it does not serve or does not tell
    server_role role = server_role::unknown;
    std::string version{};                   // "3.8.0"
    std::chrono::microseconds round_trip{};  // connection, question and answer; 0 without an answer
    // As it says of the time since it started:
    std::optional<double> latency_ms{};          // of its requests on average
    std::optional<double> longest_latency_ms{};  // of one of them
    std::optional<std::int64_t> connections{};   // of clients, this one included
    std::optional<std::int64_t> received{};      // packets of clients
    std::optional<std::int64_t> outstanding{};   // requests that wait now
    std::optional<std::int64_t> nodes{};
    std::optional<server_configuration> configuration{};  // where `conf` is allowed
};

// In the order of the connect string; a name that stands for several addresses is there for each of them. Of
// "local:" none, and of servers of other kinds ("redis://", "sqlite:"). `limit` is for all words together. Errors: bad_connect_string.
[[nodiscard]] TURNSTILE_EXPORT result<std::vector<server_health>> health_of_servers(
    std::string_view connect_string,
    std::chrono::milliseconds limit = std::chrono::milliseconds{2'000});

// What each server answers to one four-letter word.
struct server_answer {
    std::string name;
    std::string address;
    bool allowed = false;  // it answered, and not that the word is not in its whitelist
    std::string text{};    // the first 64 MiB
};

// The same of one word, such as `cons` (the server's connections) or `dump` (its sessions). Errors: bad_connect_string,
// bad_option (the word has not four lower-case letters).
[[nodiscard]] TURNSTILE_EXPORT result<std::vector<server_answer>> answers_of_servers(
    std::string_view connect_string, std::string_view word,
    std::chrono::milliseconds limit = std::chrono::milliseconds{2'000});

}  // namespace turnstile
