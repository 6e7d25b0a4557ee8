// SPDX-License-Identifier: Apache-2.0
// bell: the message that a script publishes on a session's channel. An empty message means that the session must fetch
// its events. The message about a removed znode contains the event. If the parent znode (the folder) has at most 100
// children, the message also contains their names. So a client that waits for a lock needs no further request. The
// content of the message:
// | bytes | content                                                                                    |
// |-------|--------------------------------------------------------------------------------------------|
// | 40    | SHA-1, in hex, of the rest and the session's mark, which contains its password (lua/attach.lua) |
// | 8     | the zxid of the removal                                                                    |
// | 4 + n | the event, after its length                                                                |
// | 64    | the head of the folder's record; this and later fields exist only if the folder has at most 100 children |
// | 4, 4  | the lengths of the folder's data and of the folder's path; then the path                    |
// | 4 + n | the name of a child, after its length; repeated for each child                              |
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

struct bell {
    std::int64_t zxid = 0;
    core::watch_event event;
    std::optional<answer_along> listing;
};

// Parses a message that a script has published on the session's channel. Returns nothing if the message is empty,
// belongs to another connection, or is not from a script. `mark`: the session's entry at the server (lua/attach.lua).
[[nodiscard]] std::optional<bell> parse_bell(std::string_view text, const std::string& mark);

}  // namespace turnstile::redis
