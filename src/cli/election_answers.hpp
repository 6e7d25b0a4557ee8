// SPDX-License-Identifier: Apache-2.0
// election_answers: what `turnstile elect --http` answers, from what it knows at that moment.
//
// | path      | 200                                           | 503                                       |
// |-----------|-----------------------------------------------|-------------------------------------------|
// | /leader   | the leader in the servers' queue, or none     | the servers do not answer                 |
// | /isLeader | this machine leads, by its own lease          | it does not                               |
// | /healthz  | it leads, or stands in the queue              | it does neither, or the servers are away  |
// | /metrics  | counters, in Prometheus' text form            | never                                     |
//
// Thread safety: pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "turnstile/client.hpp"
#include "turnstile/participant.hpp"

namespace turnstile::cli {

struct election_view {
    std::string path;
    std::string id;      // this participant's
    bool leads = false;  // by its own lease, now
    std::size_t terms = 0;
    // The queue as the servers told it last, so long ago; nothing if they do not answer.
    std::optional<std::vector<participant>> queue{};
    std::chrono::milliseconds queue_age{};
    std::string why_no_queue{};
    bool queued = false;  // this participant stands in that queue
    client_counters counters{};
};

struct http_answer {
    int status = 200;
    std::string type;
    std::string body;
};

// A line of `turnstile elect --listen -o json`, with its end: {"path","leader","znode","token","data"}; no leader: null,
// and no more behind it.
[[nodiscard]] std::string leader_line(const std::string& path,
                                      const std::optional<participant>& leader);

[[nodiscard]] http_answer leader_answer(const election_view& view);
[[nodiscard]] http_answer is_leader_answer(const election_view& view);
[[nodiscard]] http_answer health_answer(const election_view& view);
[[nodiscard]] http_answer metrics_answer(const election_view& view);

}  // namespace turnstile::cli
