// SPDX-License-Identifier: Apache-2.0
// records: the binary formats that the scripts use for a znode's record and for events.
//
// A record begins with 64 bytes, little-endian: czxid, mzxid, pzxid, ctime, mtime and owner as doubles; then version,
// creates, the number of children and the flags as 32-bit integers. Doubles are exact below 2^53, which a count of
// microseconds since 1970 reaches in the year 2255. `creates` counts all children ever created, and is the next
// sequence number.
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

// Parses the start of a record, without `data_length`. Returns nothing if the text is too short, or has a number that
// the scripts never write.
[[nodiscard]] std::optional<core::stat> parse_record(std::string_view head) noexcept;

// Parses the events in a reply. Does not set the events' member `connection`. Returns nothing if the text is invalid.
[[nodiscard]] std::optional<std::vector<core::watch_event>> parse_events(std::string_view text);

}  // namespace turnstile::redis
