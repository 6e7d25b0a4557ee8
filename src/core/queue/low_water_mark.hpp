// SPDX-License-Identifier: Apache-2.0
// low_water_mark: a number in the data of a lock's folder, with which a hand-over in a long queue needs no list of the
// children.
//
// "lock-floor 42" states that every contender of the mutex's family with the number 42, or with a number before it, is
// gone. "latch-floor 42" states the same for the latch family, which may share the folder and its numbers. Only the
// first contender raises the mark, in the transaction that removes its own znode; no contender with a lower number can
// come later. Other data of a folder belong to another client, and stay. docs/why/mutex.md has the argument.
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

// From this number of children on, listing them costs so much more than reading the folder that the mark is worth its
// write.
inline constexpr std::uint32_t k_long_queue = 32;

[[nodiscard]] std::string low_water_text(contender_family of, std::int32_t number);
[[nodiscard]] std::optional<std::int32_t> parse_low_water_mark(contender_family of,
                                                               std::string_view text);
// True if the mark proves that no contender is ahead of `self`. `nearest` was the nearest predecessor of `self`, and it
// is gone. Numbers are compared by signed distance; a mark that is not ahead of `self` proves nothing.
[[nodiscard]] bool leaves_nobody_ahead(std::int32_t mark, std::int32_t nearest, std::int32_t self);

}  // namespace turnstile::core
