// SPDX-License-Identifier: Apache-2.0
// requests: converts operations of the coordinator's interface (core/seam) into script calls, and the scripts' answers
// into replies.
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

// A script, and its arguments after the common first arguments of all scripts (lua/arguments.lua).
struct script_call {
    script which{};
    std::vector<std::string> arguments;
};

// The paths of `op` include the chroot.
[[nodiscard]] script_call to_call(const core::operation& op);

// To queue for a lock, a client sends two requests: the create of its znode and a list (a read of the folder's
// children). The session sends both as one script call, an entry, whose answer contains both replies.
[[nodiscard]] bool may_be_entry(const core::operation& first) noexcept;
[[nodiscard]] bool are_entry(const core::operation& first, const core::operation& second);
[[nodiscard]] script_call to_entry(const core::operation& create);

// The elements with which every script's answer begins.
struct answer_head {
    int code = 0;                   // a server_error, or one of scripts.hpp
    std::int64_t zxid = 0;          // the tree's last zxid
    core::duration until_next{-1};  // until another session expires; negative: there is none
    std::vector<core::watch_event> events;  // in order; their paths include the chroot
};

// Returns nothing if the answer is not from a script of this library.
[[nodiscard]] std::optional<answer_head> parse_head(const redisReply& answer);
// Parses the rest of the answer to `op` into `out`. Returns false if the answer is invalid.
[[nodiscard]] bool parse_reply(const core::operation& op, int code, const redisReply& answer,
                               core::reply& out);

// Parses the folder's children in the answer to a script call that creates a znode and lists its folder (are_entry()).
// Returns false if the children are invalid.
[[nodiscard]] bool parse_listing(const core::operation& list, const redisReply& answer,
                                 core::reply& out);

// The reply to a request that the client will probably make next.
struct answer_along {
    core::operation to;
    core::reply reply;
};
// Parses the list of the folder's children that the server may send together with the event of a removal. Leaves `out`
// empty if the server has sent no list. Returns false if the list is invalid.
[[nodiscard]] bool parse_list_along(const redisReply& answer, std::optional<answer_along>& out);

// Returns the text of the element at `index` if it is a bulk string or a status; else an empty text.
[[nodiscard]] std::string_view text_at(const redisReply& array, std::size_t index) noexcept;
// Parses the result of text_at() as a decimal number. Returns 0 if the text is not a number.
[[nodiscard]] std::int64_t number_at(const redisReply& array, std::size_t index) noexcept;

}  // namespace turnstile::redis
