// SPDX-License-Identifier: Apache-2.0
// survey_text: prints locks and their queues, for people and as JSON.
//
// Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/lock_status.hpp"
#include "turnstile/lock_survey.hpp"

namespace turnstile::cli {

using wall_time = std::chrono::system_clock::time_point;

// Returns a text such as "1st", "22nd" or "113th".
[[nodiscard]] std::string ordinal(std::size_t number);
// Returns a text such as "web-2, pid 4711, nightly". For a contender of another library, returns the text in its znode.
[[nodiscard]] std::string identity_of(const contender& entry);
// Returns the age of the contender's znode, such as "5 min 3 s".
[[nodiscard]] std::string age_of(const contender& entry, wall_time now);

// Returns a sentence, without a full stop, which says that the survey found no locks.
[[nodiscard]] std::string nothing_text(const lock_survey& survey, const std::string& folder);
[[nodiscard]] std::string list_text(const lock_survey& survey, wall_time now);
// Returns a line for each contender that was read. `wide` adds kinds, sessions and znodes.
[[nodiscard]] std::string queue_text(const surveyed_lock& lock, wall_time now, bool wide);

// Returns a line for a waiting user, such as "/locks/orders: waiting, 3rd of 7; first is web-2, pid 4711, in the queue
// for 12 s". `ahead`: the number of contenders before this contender. `queue`: may be empty if unknown. The text is
// printable.
[[nodiscard]] std::string waiting_line(std::string_view path, std::size_t ahead,
                                       const std::vector<contender>& queue, wall_time now);

// Prints locks and their queues as JSON, in one line with its newline.
//
//     {"locks": [{"path": "/locks/a", "kind": "mutex", "contenders": 2, "permits": null,
//                 "holders": [{"znode": ..., "token": "0x52", "host": ...}], "waiters": [...]}],
//      "unreadable": ["/locks/secret"]}
//
// Sessions are hexadecimal text, because they do not fit into a double. Times are UTC in ISO 8601. Invalid UTF-8
// becomes U+FFFD.
[[nodiscard]] std::string survey_json(const lock_survey& survey);

}  // namespace turnstile::cli
