// SPDX-License-Identifier: Apache-2.0
// low_water_mark: a number in the data of a lock's folder. In a long queue a waiter reads this number instead of the
// list of children, to learn that it is the next holder.
//
// "lock-floor 42" states that each mutex contender with the number 42, or with a number before it, is gone.
// "latch-floor 42" states the same for the latch family, which may share the folder and its numbers. Only the first
// contender raises the mark, in the transaction that removes its own znode, so no contender with a lower number can
// come later. Data that are no mark belong to another client, and are not overwritten. docs/why/mutex.md has the
// argument.
//
// Values. Thread safety: none needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/queue/contender_name.hpp"

namespace turnstile::core {

// In a folder with at least this many children, a list of the children costs more than a read of the folder's data. So
// the contenders of a folder of that size read the low-water mark in these data.
inline constexpr std::uint32_t k_long_queue = 32;

[[nodiscard]] std::string low_water_text(contender_family of, std::int32_t number);
[[nodiscard]] std::optional<std::int32_t> parse_low_water_mark(contender_family of,
                                                               std::string_view text);
// True if the low-water mark `mark`, the number up to which all contenders have left, proves that no contender is ahead
// of `self`. `nearest`, the nearest predecessor of `self`, is gone. Numbers are compared by their signed distance. A
// mark with the number of `self`, or with a later number, proves nothing.
[[nodiscard]] bool leaves_nobody_ahead(std::int32_t mark, std::int32_t nearest, std::int32_t self);

}  // namespace turnstile::core
