// SPDX-License-Identifier: Apache-2.0
// low_water_mark: what the data of a lock's folder says about its queue, so that a hand-over in a long queue need
// not list it.
//
// "lock-floor 42" says that every contender of the mutex's family with the number 42, or with one ahead of it, is
// gone; "latch-floor 42" the same of the other family, which may share the folder and its numbers. Only a contender
// that is first raises it, in the transaction that removes its own znode, and no contender with a lower
// number can come. Data of a folder that says anything else is another client's, and stays. docs/why/mutex.md argues it.
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

// With so many children a list costs so much more than a look at the folder that the mark is worth its write.
inline constexpr std::uint32_t k_long_queue = 32;

[[nodiscard]] std::string low_water_text(contender_family of, std::int32_t number);
[[nodiscard]] std::optional<std::int32_t> parse_low_water_mark(contender_family of,
                                                               std::string_view text);
// Whether the mark shows that no contender is ahead of `self`, whose nearest predecessor was `nearest`, which is gone. By
// signed distance, as all numbers are compared; a mark that is not ahead of `self` says nothing to it.
[[nodiscard]] bool leaves_nobody_ahead(std::int32_t mark, std::int32_t nearest, std::int32_t self);

}  // namespace turnstile::core
