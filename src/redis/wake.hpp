// SPDX-License-Identifier: Apache-2.0
// wake: the message that a script publishes on a session's channel. An empty message announces events that must be
// fetched. A removal's message contains what its watcher would fetch, so that a waiter need not ask:
//
// | bytes | what                                                                                       |
// |-------|--------------------------------------------------------------------------------------------|
// | 40    | SHA-1, in hex, of the rest and the session's mark, which has its connection and password     |
// | 8     | the zxid of the removal                                                                    |
// | 4 + n | its event, with its length                                                                 |
// | 64    | from here on only where the list is short: the head of the folder's record                  |
// | 4, 4  | the lengths of its data and of its path, which follows                                      |
// | 4 + n | the name of a child, with its length; as often as there are children                        |
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/seam/seam.hpp"
#include "redis/requests.hpp"

namespace turnstile::redis {

struct wake {
    std::int64_t zxid = 0;
    core::watch_event event;
    std::optional<answer_along> listing;
};

// Returns nothing if the text only announces events, belongs to another connection, or does not come from a script.
[[nodiscard]] std::optional<wake> parse_wake(std::string_view text, const std::string& mark);

}  // namespace turnstile::redis
