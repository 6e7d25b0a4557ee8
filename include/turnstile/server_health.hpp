// SPDX-License-Identifier: Apache-2.0
// server_health: asks each server of a ZooKeeper ensemble for its role, version and load, for tools and pages.
//
//     for (const auto& server : turnstile::health_of_servers("zk1:2181,zk2:2181", 2s).value())
//         print(server.name, to_string(server.role), server.version, server.problem);
//
// The functions ask each server over short connections, with four-letter words. Servers answer `srvr` by default, but
// `conf` only if the setting 4lw.commands.whitelist (zoo.cfg) contains this word. The functions need no session.
//
// Thread safety: any thread may call these functions. They block until the servers have answered; they also resolve
// host names.
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

// The configuration of a server, from `conf`. Zero: the server does not report the value. A standalone server reports
// neither init_limit nor sync_limit.
struct server_configuration {
    std::chrono::milliseconds tick{};  // the tickTime
    int init_limit = 0;                // in ticks: how long a follower may take to join
    int sync_limit = 0;                // in ticks: how long a follower and the leader may be silent
    std::chrono::milliseconds min_session_timeout{};  // the shortest session timeout that it grants
    std::chrono::milliseconds max_session_timeout{};  // the longest session timeout that it grants
    int max_connections = 0;                          // connections from one address; 0: any number
    friend bool operator==(const server_configuration&, const server_configuration&) = default;
};

// The report of one server.
struct server_health {
    std::string name;        // from the connect string: "zk1:2181"
    std::string address;     // "192.0.2.1:2181"; the name if it cannot be resolved
    bool reachable = false;  // the server accepts connections
    bool serves = false;     // the server reports its role, so it is a part of a working ensemble
    std::string problem{};   // a sentence about the fault, if the server does not serve or answer
    server_role role = server_role::unknown;  // the server's role, from `srvr`
    std::string version{};                    // "3.8.0"
    std::chrono::microseconds
        round_trip{};  // time to connect, ask and get the answer; 0 without an answer
    // The latencies, and the number of received packets, cover the time since the start of the server.
    std::optional<double> latency_ms{};          // average latency of requests
    std::optional<double> longest_latency_ms{};  // longest latency of a request
    std::optional<std::int64_t> connections{};   // connections of clients, this one included
    std::optional<std::int64_t> received{};      // packets received from clients
    std::optional<std::int64_t> outstanding{};   // requests that wait in the server now
    // Number of znodes.
    std::optional<std::int64_t> nodes{};
    std::optional<server_configuration> configuration{};  // if `conf` is allowed
};

// Returns the reports in the order of the connect string. A name with several addresses has one report for each
// address. Returns an empty list for "local:" and for other kinds of servers ("redis://", "sqlite:"). `limit` is the
// longest time for all requests together. Errors: `bad_connect_string`.
[[nodiscard]] TURNSTILE_EXPORT result<std::vector<server_health>> health_of_servers(
    std::string_view connect_string,
    std::chrono::milliseconds limit = std::chrono::milliseconds{2'000});

// A server's answer to one four-letter word.
struct server_answer {
    std::string name;     // from the connect string: "zk1:2181"
    std::string address;  // "192.0.2.1:2181"; the name if it cannot be resolved
    // True if the server answered, and its whitelist has the word.
    bool allowed = false;
    std::string text{};     // the answer, at most its first 64 MiB
    std::string problem{};  // the reason why there is no answer; empty if the server answered
};

// Sends one four-letter word to all servers, like `cons` (connections) or `dump` (sessions), and returns the answers.
// `limit` is the longest time for all servers together. Errors: `bad_connect_string`, `bad_option` (the word does not
// consist of four lower-case letters).
[[nodiscard]] TURNSTILE_EXPORT result<std::vector<server_answer>> answers_of_servers(
    std::string_view connect_string, std::string_view word,
    std::chrono::milliseconds limit = std::chrono::milliseconds{2'000});

}  // namespace turnstile
