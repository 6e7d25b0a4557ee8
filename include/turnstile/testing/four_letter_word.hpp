// SPDX-License-Identifier: Apache-2.0
// four_letter_word: sends a four-letter word ("srvr", "mntr", "dump", "cons" and others) to a ZooKeeper server.
//
//     const auto counters = parse_counters(four_letter_word("127.0.0.1", port, "mntr"));
//     EXPECT_EQ(counters.at("watch_count"), 0);
//
// Thread safety: any thread may call these functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

// Sends `word` to the server at `host` and `port`, and returns the whole answer. Throws std::system_error if the server
// cannot be reached (ECONNREFUSED and others), or sends nothing before the deadline (ETIMEDOUT).
[[nodiscard]] std::string four_letter_word(const std::string& host, std::uint16_t port,
                                           std::string_view word, test_deadline until = {});

// Returns the integers in `mntr`, an answer to "mntr", by the server's names without "zk_": packets_received,
// packets_sent, num_alive_connections, znode_count, ephemerals_count, watch_count, outstanding_requests,
// cnt_node_deleted_watch_count (deletions since the start), sum_node_deleted_watch_count (watches that these deletions
// triggered), and others.
[[nodiscard]] std::map<std::string, std::int64_t> parse_counters(std::string_view mntr);

}  // namespace turnstile::testing
