// SPDX-License-Identifier: Apache-2.0
// crash_mark: what a holder leaves at the servers if it crashes, so that the next contender waits for its lock
// delay.
//
// A persistent znode beside the lock's path, written before the grant and removed in the same transaction as the
// holder's own znode by an orderly release. While its holder lives no other contender reads it; a mark without its holder
// was left behind. The contender that finds it notes that in it, and the stamp of that write tells those that come
// later how long ago it was at least.
//
// Values. Thread safety: none needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/clock.hpp"

namespace turnstile::core {

struct crash_mark {
    std::string holder;  // the GUID in its contender's name
    std::int64_t delay_ms = 0;
    bool noted = false;  // found left behind by another contender
    friend bool operator==(const crash_mark&, const crash_mark&) = default;
};

// "/locks/orders-holder" for "/locks/orders".
[[nodiscard]] std::string crash_mark_path(std::string_view folder);
// "<holder> <delay in ms>", and " left" when it is noted.
[[nodiscard]] std::string crash_mark_text(const crash_mark& mark);
[[nodiscard]] std::optional<crash_mark> parse_crash_mark(std::string_view text);

}  // namespace turnstile::core
