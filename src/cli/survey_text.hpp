// SPDX-License-Identifier: Apache-2.0
// survey_text: locks and their queues as people read them.
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

// "1st", "22nd", "113th".
[[nodiscard]] std::string ordinal(std::size_t number);
// "web-2, pid 4711, nightly"; for a contender of another library what it wrote about itself.
[[nodiscard]] std::string identity_of(const contender& entry);
// How long it has been there: "5 min 3 s".
[[nodiscard]] std::string age_of(const contender& entry, wall_time now);

// What is said in place of a list without locks: a sentence without its full stop.
[[nodiscard]] std::string nothing_text(const lock_survey& survey, const std::string& folder);
// A line for each lock; empty without locks.
[[nodiscard]] std::string list_text(const lock_survey& survey, wall_time now);
// The queue of one lock, a line for each contender that was read. `wide`: with kinds, sessions and znodes.
[[nodiscard]] std::string queue_text(const surveyed_lock& lock, wall_time now, bool wide);

// A line for the person who waits: "/locks/orders: waiting, 3rd of 7; first is web-2, pid 4711, there for 12 s".
// `ahead` contenders come first; `queue` may be empty, where it is not known. The text is printable.
[[nodiscard]] std::string waiting_line(std::string_view path, std::size_t ahead,
                                       const std::vector<contender>& queue, wall_time now);

}  // namespace turnstile::cli
