// SPDX-License-Identifier: Apache-2.0
// The binary formats of the scripts: a znode's record, and events.
//
// A record begins with 64 bytes, little-endian: czxid, mzxid, pzxid, ctime, mtime, owner as doubles (exact below
// 2^53, which microseconds since 1970 reach in the year 2255), then version, creates, number of children, and the
// kind, as 32-bit integers. `creates` counts the children that were ever created: it is the next sequence number.
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

// Parses the start of a record. Nothing if it is too short, or has a number that scripts never write. `data_length`
// remains 0.
[[nodiscard]] std::optional<core::stat> parse_record(std::string_view head) noexcept;

// All events of a reply, without their connection; nothing if the text is no list of events.
[[nodiscard]] std::optional<std::vector<core::watch_event>> parse_events(std::string_view text);

}  // namespace turnstile::redis
