// SPDX-License-Identifier: Apache-2.0
// requests: converts the seam's operations into scripts with arguments, and their answers into replies.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seam/seam.hpp"
#include "redis/scripts.hpp"

struct redisReply;

namespace turnstile::redis {

// A script, and its arguments after the arguments of all scripts.
struct script_call {
    script which{};
    std::vector<std::string> arguments;
};

// The paths of `op` are the servers' (with the chroot).
[[nodiscard]] script_call to_call(const core::operation& op);

// A contender enters a queue with two requests: its create, and the list of the folder. The servers get them as a
// single script, whose answer contains both replies.
[[nodiscard]] bool may_be_entry(const core::operation& first) noexcept;
[[nodiscard]] bool are_entry(const core::operation& first, const core::operation& second);
[[nodiscard]] script_call to_entry(const core::operation& create);

// The first part of every script's answer.
struct answer_head {
    int code = 0;                   // a server_error, or a number of scripts.hpp
    std::int64_t zxid = 0;          // the tree's last zxid
    core::duration until_next{-1};  // until the next other session is due; negative: there is none
    std::vector<core::watch_event> events;  // in order, with the servers' paths
};

// Returns nothing if the answer does not come from a script of this library.
[[nodiscard]] std::optional<answer_head> parse_head(const redisReply& answer);
// Parses the rest of the answer to `op`, and sets its outcome and error. Returns false if it is invalid.
[[nodiscard]] bool parse_reply(const core::operation& op, int code, const redisReply& answer,
                               core::reply& out);

// Parses the children of the folder in the answer to a create that asked for them. The create's own answer is parsed
// by parse_reply. Returns false if the list is invalid.
[[nodiscard]] bool parse_listing(const core::operation& list, const redisReply& answer,
                                 core::reply& out);

// The answer to a request that the client has not sent yet, but will probably send next.
struct answer_along {
    core::operation to;
    core::reply reply;
};
// Parses the list of a folder that was sent together with a removal's event. `out` stays empty if there is none.
// Returns false if it is invalid.
[[nodiscard]] bool parse_list_along(const redisReply& answer, std::optional<answer_along>& out);

// The text of a bulk string or a status, the n-th of an array; empty for other types.
[[nodiscard]] std::string_view text_at(const redisReply& array, std::size_t index) noexcept;
// The same as a decimal number; 0 if it is none.
[[nodiscard]] std::int64_t number_at(const redisReply& array, std::size_t index) noexcept;

}  // namespace turnstile::redis
