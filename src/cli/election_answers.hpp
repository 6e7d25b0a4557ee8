// SPDX-License-Identifier: Apache-2.0
// election_answers: computes the HTTP answers of `turnstile elect --http` from the state of the election.
//
// | path      | status 200                                    | status 503                                |
// |-----------|-----------------------------------------------|-------------------------------------------|
// | /leader   | the servers answer; the body names the        | the servers do not answer                 |
// |           | leader in their queue, or no leader           |                                           |
// | /isLeader | this machine leads, by its own lease          | this machine does not lead                |
// | /healthz  | this machine leads, or waits in the queue     | this machine does neither, or it does not |
// |           |                                               | lead and the servers do not answer        |
// | /metrics  | always; the body has counters in Prometheus'  | never                                     |
// |           | text form                                     |                                           |
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
    // The queue in the servers' latest answer, and the age of that answer. Empty if the servers do not answer.
    std::optional<std::vector<participant>> queue{};
    std::chrono::milliseconds queue_age{};
    std::string why_no_queue{};
    bool queued = false;  // this participant is in that queue
    client_counters counters{};
};

struct http_answer {
    int status = 200;
    std::string type;
    std::string body;
};

// Returns a line of `turnstile elect --listen -o json`, with its newline: {"path","leader","znode","token","data"}.
// Without a leader, "leader" is null and the later fields are missing.
[[nodiscard]] std::string leader_line(const std::string& path,
                                      const std::optional<participant>& leader);

[[nodiscard]] http_answer leader_answer(const election_view& view);
[[nodiscard]] http_answer is_leader_answer(const election_view& view);
[[nodiscard]] http_answer health_answer(const election_view& view);
[[nodiscard]] http_answer metrics_answer(const election_view& view);

}  // namespace turnstile::cli
