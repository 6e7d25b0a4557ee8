// SPDX-License-Identifier: Apache-2.0
// answer_effects: interprets the server's reply to a request. The members of the result say what the session must do.
// The session handles the members in the order of their declaration.
//
// Thread safety: a value and a pure function.
#pragma once

#include <optional>
#include <string>

#include "core/seam/seam.hpp"
#include "redis/pending_requests.hpp"
#include "redis/requests.hpp"

struct redisReply;

namespace turnstile::redis {

struct answer_effects {
    std::string complaint;            // for the log; empty: none
    std::string broken;               // the reason to leave the server; empty: none
    bool is_busy = false;             // the session must send its own request again
    bool has_ended = false;           // the session has ended
    std::optional<answer_head> head;  // set if the server has executed the request
    std::optional<answer_along> along;
    std::optional<core::reply> reply;     // to the user's request
    std::optional<core::reply> listing;   // to the list that travelled with the request
    std::optional<pending_request> back;  // gets its reply when the session is detached
};

// `asked`: the request. If its caller gets no reply before the session is detached, this function moves the request to
// the result's member `back`.
[[nodiscard]] answer_effects read_answer(pending_request& asked, const redisReply& answer);

}  // namespace turnstile::redis
