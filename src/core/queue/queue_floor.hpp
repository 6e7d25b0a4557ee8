// SPDX-License-Identifier: Apache-2.0
// queue_floor: what the data of a lock's folder says about its queue, so that a hand-over in a long queue need
// not list it.
//
// "lock-floor 42" says that every contender of the mutex's family with the number 42, or with one ahead of it, is
// gone; "latch-floor 42" the same of the other family, which may share the folder and its numbers. Only one that has
// nobody ahead writes it, in the transaction that removes its own znode, and nobody with a lower number can
// come. A folder's data that says anything else is somebody's, and is let be. docs/why/mutex.md argues it.
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

// With so many children a list costs so much more than a look at the folder that a floor is worth its write.
inline constexpr std::uint32_t k_long_queue = 32;

[[nodiscard]] std::string floor_text(contender_family of, std::int32_t number);
[[nodiscard]] std::optional<std::int32_t> parse_floor(contender_family of, std::string_view text);
// Whether a floor shows that nobody is ahead of `self`, whose nearest one ahead was `nearest`, and is gone. By
// signed distance, as all numbers are compared; one that is not ahead of `self` says nothing to it.
[[nodiscard]] bool leaves_nobody_ahead(std::int32_t floor, std::int32_t nearest, std::int32_t self);

}  // namespace turnstile::core
