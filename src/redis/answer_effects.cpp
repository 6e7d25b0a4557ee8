// SPDX-License-Identifier: Apache-2.0
#include "redis/answer_effects.hpp"

#include <hiredis/hiredis.h>

#include <string_view>
#include <utility>

#include "redis/server_words.hpp"

namespace turnstile::redis {
namespace {

void refuse(answer_effects& out, const pending_request& asked, core::server_error why) {
    if (asked.why == purpose::user) out.reply = core::answered(why);
    if (asked.list) out.listing = core::answered(why);
}

// Sets the outcome `how` for the caller of the request and for the caller of the list request that was sent with it.
// Both callers get the outcome when the session is detached.
void settle(answer_effects& out, pending_request&& asked, core::outcome how) {
    out.back = std::move(asked);
    out.back->settled.emplace();
    out.back->settled->id = out.back->id;
    out.back->settled->outcome = how;
}

// Ends the connection after a reply that no script of this library sends. The server may have executed the request, so
// the outcome is unknown.
void break_off(answer_effects& out, pending_request&& asked) {
    out.complaint = out.broken = "the server sent a malformed answer";
    settle(out, std::move(asked), core::outcome::unknown);
}

// After an error reply, the server has not executed the request. The exception: if the script contains a command that
// the user may not execute, the server may have executed the commands before it.
answer_effects read_error(pending_request& asked, std::string_view text) {
    answer_effects out;
    switch (judge_refusal(text)) {
        case refusal_kind::throttled:
            out.is_busy = asked.why != purpose::user;
            refuse(out, asked, core::server_error::throttled);
            return out;
        case refusal_kind::full: refuse(out, asked, core::server_error::quota_exceeded); return out;
        case refusal_kind::renew:
        case refusal_kind::away:
        case refusal_kind::credentials:
            out.broken = text;
            settle(out, std::move(asked),
                   is_broken_off(text) ? core::outcome::unknown : core::outcome::not_sent);
            return out;
        case refusal_kind::other: break;
    }
    out.complaint = text;
    refuse(out, asked, core::server_error::other);
    return out;
}

void read_replies(answer_effects& out, pending_request& asked, const redisReply& answer) {
    core::reply reply;
    if (!parse_reply(asked.op, out.head->code, answer, reply))
        return break_off(out, std::move(asked));
    out.reply = std::move(reply);
    if (!asked.list) return;
    core::reply listing;
    if (parse_listing(asked.list->op, answer, listing)) {
        out.listing = std::move(listing);
        return;
    }
    pending_request list;
    list.id = asked.list->id;
    list.sent = asked.sent;
    list.op = std::move(asked.list->op);
    break_off(out, std::move(list));
}

}  // namespace

answer_effects read_answer(pending_request& asked, const redisReply& answer) {
    if (answer.type == REDIS_REPLY_ERROR)
        return read_error(asked,
                          without_arguments({answer.str == nullptr ? "" : answer.str, answer.len}));
    answer_effects out;
    auto head = parse_head(answer);
    if (!head) {
        break_off(out, std::move(asked));
    } else if (head->code == k_session_gone) {
        out.has_ended = true;
        refuse(out, asked, core::server_error::session_expired);
    } else if (head->code == k_session_moved) {
        out.broken = "the session has moved to another connection";
        out.back = std::move(asked);
    } else if (asked.why == purpose::poll && !parse_list_along(answer, out.along)) {
        out.along.reset();
        break_off(out, std::move(asked));
    } else {
        if (out.along) out.along->reply.sent = asked.sent;
        out.head = std::move(head);
        if (asked.why == purpose::user) read_replies(out, asked, answer);
    }
    return out;
}

}  // namespace turnstile::redis
