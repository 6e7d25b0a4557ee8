// SPDX-License-Identifier: Apache-2.0
// requests: the seam's operations as scripts with arguments, and the scripts' answers as the seam's replies.
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

// A script and what it is told after the arguments that all scripts have.
struct script_call {
    script which{};
    std::vector<std::string> arguments;
};

// The paths of `op` are the servers' (with the chroot).
[[nodiscard]] script_call to_call(const core::operation& op);

// A contender's way into a queue, which are two requests: its create, and the list of the folder. The servers get them as
// a single script, whose answer has those to both.
[[nodiscard]] bool may_be_entry(const core::operation& first) noexcept;
[[nodiscard]] bool are_entry(const core::operation& first, const core::operation& second);
[[nodiscard]] script_call to_entry(const core::operation& create);

// What every script answers first.
struct answer_head {
    int code = 0;                   // a server_error, or one of the numbers of scripts.hpp
    std::int64_t zxid = 0;          // the tree's last one
    core::duration until_next{-1};  // until the next other session is due; negative: there is none
    std::vector<core::watch_event> events;  // in order, paths as the servers have them
};

// Nothing if the answer is not one of our scripts'.
[[nodiscard]] std::optional<answer_head> parse_head(const redisReply& answer);
// The rest of the answer to `op`, whose outcome and error it sets, too; false if it makes no sense.
[[nodiscard]] bool parse_reply(const core::operation& op, int code, const redisReply& answer,
                               core::reply& out);

// The same of the list of an entry, whose create is answered as any other.
[[nodiscard]] bool parse_listing(const core::operation& list, const redisReply& answer,
                                 core::reply& out);

// The answer to a request that was not made yet, but is likely to be the next one.
struct answer_along {
    core::operation to;
    core::reply reply;
};
// The list of a folder, which comes along with the event of a removal. `out` stays empty where none came along; false if it
// makes no sense.
[[nodiscard]] bool parse_list_along(const redisReply& answer, std::optional<answer_along>& out);

// The text of a bulk string or a status, the n-th of an array; empty if it is none.
[[nodiscard]] std::string_view text_at(const redisReply& array, std::size_t index) noexcept;
// The same as a decimal number; 0 if it is none.
[[nodiscard]] std::int64_t number_at(const redisReply& array, std::size_t index) noexcept;

}  // namespace turnstile::redis
