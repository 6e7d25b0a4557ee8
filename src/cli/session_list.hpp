// SPDX-License-Identifier: Apache-2.0
// session_list: sessions, put together from what stands in locks' queues and what servers tell.
//
// Thread safety: values and pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "turnstile/lock_survey.hpp"
#include "turnstile/server_health.hpp"

namespace turnstile::cli {

struct session_znode {
    std::string path;
    bool contends = false;  // in a lock's queue, or holding
    bool holds = false;
};

struct listed_session {
    std::int64_t id = 0;
    std::string host;  // as its contenders say; empty: unknown
    std::string pid;
    std::string label;
    std::string address;  // as the server sees it; empty: not told
    std::string server;   // that it is connected to; empty: none, or not told
    std::chrono::milliseconds timeout{};
    std::vector<session_znode> znodes;  // by path
};

struct session_list {
    std::vector<listed_session> sessions;  // by host, process and id
    std::vector<std::string> silent;       // "zk1:2181: dump": what was not told
    std::vector<std::string> unreadable;   // folders, as in a survey
};

// What is listed, and of what.
struct session_sources {
    lock_survey survey;
    std::vector<server_answer> connections{};  // to "cons"
    std::vector<server_answer> ephemerals{};   // to "dump"
    std::string chroot{};                      // of the client: empty or "/a"
    std::string prefix{};
};

[[nodiscard]] session_list list_sessions(const session_sources& sources);

[[nodiscard]] std::string session_text(const session_list& list, bool wide);
[[nodiscard]] std::string session_json(const session_list& list);

}  // namespace turnstile::cli
