// SPDX-License-Identifier: Apache-2.0
// lock_mark: what a holder leaves at the servers if it crashes, so that whoever comes next waits for its lock
// delay.
//
// A persistent znode beside the lock's path, written before the grant and removed in the same
// transaction as the holder's own znode by an orderly release. While its holder lives nobody else looks at
// it; one that is there without its holder was left behind. Who finds it notes that in it, and the stamp of that
// write tells those who come later how long ago it was at least.
//
// Values. Thread safety: none needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/clock.hpp"

namespace turnstile::core {

struct lock_mark {
    std::string holder;  // the GUID in its contender's name
    std::int64_t delay_ms = 0;
    bool noted = false;  // somebody has found it left behind
    friend bool operator==(const lock_mark&, const lock_mark&) = default;
};

// "/locks/orders-holder" for "/locks/orders".
[[nodiscard]] std::string lock_mark_path(std::string_view folder);
// "<holder> <delay in ms>", and " left" when it is noted.
[[nodiscard]] std::string lock_mark_text(const lock_mark& what);
[[nodiscard]] std::optional<lock_mark> parse_lock_mark(std::string_view text);

}  // namespace turnstile::core
