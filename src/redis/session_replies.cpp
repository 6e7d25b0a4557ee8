// SPDX-License-Identifier: Apache-2.0
// The members of session_link that interpret the server's messages, and deliver replies and events.
#include <hiredis/hiredis.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "redis/bell.hpp"
#include "redis/server_words.hpp"
#include "redis/session_link.hpp"

namespace turnstile::redis {

// The meaning of the server's reply to a request: the members say what the session must do. The session handles the
// members in the order of their declaration.
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

// `asked`: the request. If its caller gets no reply before the session is detached, this function moves the request to
// the result's member `back`.
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

}  // namespace

void session_link::read_replies() {
    lines_.receive();
    while (!lines_.is_over()) {
        const auto reply = lines_.next();
        if (!reply) break;
        deliver_settled();
        std::optional<pending_request> asked;
        {
            const base::lock_guard lock{mutex_};
            asked = requests_.take_first();
        }
        if (!asked) return lines_.leave("the server sent an answer without a request");
        auto got = read_answer(*asked, *reply);
        execute(*asked, std::move(got));
    }
    if (!lines_.is_left()) deliver_settled();
}

void session_link::execute(const pending_request& asked, answer_effects&& got) {
    if (!got.complaint.empty())
        log::write(log_level::error, "{}: {}", connector_.place(), got.complaint);
    if (!got.broken.empty()) lines_.leave(got.broken);
    if (got.has_ended) lines_.end_session();
    if (got.is_busy) heard_.on_busy(asked);
    if (got.head) {
        const auto zxid = got.head->zxid;
        deliver_events(heard_.on_head(std::move(*got.head)), std::move(got.along));
        heard_.on_answer(asked, got.reply, got.listing, zxid);
    }
    if (got.reply) answer(asked.id, asked.sent, std::move(*got.reply));
    if (got.listing) answer(asked.list->id, asked.sent, std::move(*got.listing));
    if (!got.back) return;
    const base::lock_guard lock{mutex_};
    requests_.put_back(std::move(*got.back));
}

// Delivers the event in the server's latest message to the session (bell.hpp). It is the first of the session's queued
// events. The session may deliver this event only if no request waits for a reply, because replies and events must keep
// the server's order. If an earlier reply had the event's zxid or a later zxid, that reply has already brought the
// event. After this function has delivered the event, the next script returns the event again. The session drops it,
// because the watch for the event has already fired.
//
// The message may contain a list of the folder's children. As the send time of this list, the session uses the send
// time of the latest answered request. The list must not extend the lease, the time for which the client relies on the
// session: only replies to requests do so.
void session_link::read_bells() {
    const auto last = lines_.latest_bell();
    if (!last) return;
    constexpr std::size_t k_payload = 2;
    std::optional<bell> told;
    {
        const base::lock_guard lock{mutex_};
        if (requests_.takes_announced_event())
            told = parse_bell(text_at(*last, k_payload), arguments_.mark());
        if (!told || heard_.has_seen(told->zxid))
            return requests_.ask(purpose::poll, {script::poll, {}});
        times_.event_came(boottime_clock::now());
    }
    if (told->listing) told->listing->reply.sent = heard_.answered_sent();
    deliver_events(heard_.on_bell(told->zxid, std::move(told->event)), std::move(told->listing));
    deliver_settled();
}

// The list that came with the event is as old as the event. So it may only answer requests that the client makes while
// the event is delivered.
void session_link::deliver_events(std::vector<core::watch_event>&& events,
                                  std::optional<answer_along>&& along) {
    if (events.empty()) return;
    const auto listed = along ? along->reply.stat.pzxid : 0;
    {
        const base::lock_guard lock{mutex_};
        for (auto& event : events) event.connection = requests_.connection();
        requests_.begin_along(std::move(along));
    }
    for (auto& event : events) outlet_.deliver(std::move(event));
    const base::lock_guard lock{mutex_};
    if (requests_.end_along()) heard_.on_list(listed);
}

void session_link::answer(core::ticket id, core::time_point sent, core::reply&& reply) {
    {
        const base::lock_guard lock{mutex_};
        requests_.complete(id, sent, reply);
    }
    outlet_.deliver(std::move(reply));
}

void session_link::deliver_settled() {
    for (;;) {
        std::optional<core::reply> reply;
        {
            const base::lock_guard lock{mutex_};
            reply = requests_.take_settled();
        }
        if (!reply) return;
        outlet_.deliver(*std::move(reply));
    }
}

}  // namespace turnstile::redis
