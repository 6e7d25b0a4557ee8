// SPDX-License-Identifier: Apache-2.0
// session_list: the list of sessions that `turnstile sessions` prints, from the locks' queues and the servers' reports.
//
// Thread safety: values and pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/lock_survey.hpp"
#include "turnstile/server_health.hpp"

namespace turnstile::cli {

// A client's connection, as ZooKeeper servers report it in their answers to the command "cons".
struct session_connection {
    std::string address;  // the client's, as the server sees it
    std::chrono::milliseconds timeout{};
    friend bool operator==(const session_connection&, const session_connection&) = default;
};

// Parses an answer to "cons". Returns the connections that have a session, by session id.
[[nodiscard]] std::map<std::int64_t, session_connection> parse_cons(std::string_view answer);

// Parses an answer to "dump". Returns the ephemeral znodes by session id. Their paths include the chroot.
[[nodiscard]] std::map<std::int64_t, std::vector<std::string>> parse_dump(std::string_view answer);

struct session_znode {
    std::string path;
    bool contends = false;  // waits for a lock or holds it
    bool holds = false;
};

struct listed_session {
    std::int64_t id = 0;
    std::string host;  // from its contenders; empty: unknown
    std::string pid;
    std::string label;
    std::string address;  // client address that the server sees; empty: not reported
    std::string server;   // server of the connection; empty: none, or not reported
    std::chrono::milliseconds timeout{};
    std::vector<session_znode> znodes;  // sorted by path
};

struct session_list {
    std::vector<listed_session> sessions;  // sorted by host, process and id
    std::vector<std::string> silent;       // "zk1:2181: dump": reports that are missing
    std::vector<std::string> unreadable;   // folders, as in a survey
};

struct session_sources {
    lock_survey survey;
    std::vector<server_answer> connections{};  // the answers to "cons"
    std::vector<server_answer> ephemerals{};   // the answers to "dump"
    std::string chroot{};                      // the client's: empty or "/a"
    std::string prefix{};
};

// Combines the locks' queues and the servers' reports into a list of sessions.
[[nodiscard]] session_list list_sessions(const session_sources& sources);

[[nodiscard]] std::string session_text(const session_list& list, const std::string& folder,
                                       bool wide);
[[nodiscard]] std::string session_json(const session_list& list);

}  // namespace turnstile::cli
