// SPDX-License-Identifier: Apache-2.0
// crash_mark: a znode that remains on the servers when a holder crashes, so that the next contender waits for the lock
// delay.
//
// The mark is a persistent znode beside the lock's path. The holder creates it before its grant. An orderly release
// removes it in the same transaction as the holder's own znode. While the holder lives, no other contender reads the
// mark. So a contender that finds a mark knows that the holder has crashed. That contender writes " left" into the
// mark. The time stamp of this write is an instant at which the crash had already happened, so later contenders wait
// for less time.
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
    std::string holder;  // the GUID in the holder's contender name
    std::int64_t delay_ms = 0;
    bool noted = false;  // another contender has noted in the mark that the holder crashed
    friend bool operator==(const crash_mark&, const crash_mark&) = default;
};

// Returns the path of the crash mark, the znode that remains when a holder crashes: "/locks/orders-holder" for
// "/locks/orders".
[[nodiscard]] std::string crash_mark_path(std::string_view folder);
// Returns the text of the crash mark: "<holder> <delay in ms>". If `mark.noted` is true, " left" follows.
[[nodiscard]] std::string crash_mark_text(const crash_mark& mark);
[[nodiscard]] std::optional<crash_mark> parse_crash_mark(std::string_view text);

}  // namespace turnstile::core
