// SPDX-License-Identifier: Apache-2.0
// What the scripts write and answer in bytes: a znode's record, and events.
//
// A record begins with 64 bytes, little-endian: czxid, mzxid, pzxid, ctime, mtime, owner as doubles (exact below 2^53,
// which microseconds since 1970 reach in the year 2255), then version, creates, number of children, and what it is,
// as 32-bit integers. `creates` counts the children that were ever made: it is the next sequence number.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/seam/seam.hpp"

namespace turnstile::redis {

inline constexpr std::size_t k_record_head = 64;

// From the first bytes of a record; nothing if there are too few, or a number is none that scripts write. `data_length` is
// left at 0.
[[nodiscard]] std::optional<core::stat> parse_record(std::string_view head) noexcept;

// All events of a reply, without their connection; nothing if the text is no list of events.
[[nodiscard]] std::optional<std::vector<core::watch_event>> parse_events(std::string_view text);

}  // namespace turnstile::redis
