// SPDX-License-Identifier: Apache-2.0
// The members of session_link that handle the server's messages and deliver replies and events.
#include <fmt/core.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.hpp"
#include "redis/session_link.hpp"
#include "redis/wake.hpp"

namespace turnstile::redis {
namespace {

using std::chrono_literals::operator""ms;

// The session polls this long after another session's deadline on the client's clock, so that the deadline has passed
// on the server's clock.
constexpr core::duration k_behind_deadline = 1ms;
// The time in which the reply to a request may bring the later events. After this time the session polls for them.
constexpr core::duration k_fetch_pause = 5ms;
constexpr std::string_view k_no_sense = "the answer makes no sense";

}  // namespace

// ---- replies --------------------------------------------------------------------------------

bool session_link::accept_acknowledgement(const redisReply& count) {
    if (count.type == REDIS_REPLY_INTEGER && count.integer >= where_.wait) return true;
    broken_ = fmt::format("fewer than {} replicas have acknowledged what was written", where_.wait);
    return false;
}

// If replicas must acknowledge, the server sends two replies: the script's reply, and the number of replicas that have
// the writes. If that number is too small, the request counts as unanswered. An error reply counts at once, because the
// script has written nothing.
owned_reply session_link::next_reply() {
    auto reply = answers_->next();
    if (!reply || where_.wait == 0) return reply;
    if (!awaiting_) {
        awaiting_ = std::move(reply);
        reply = answers_->next();
        if (!reply) return reply;
    }
    auto found = std::exchange(awaiting_, nullptr);
    if (found->type != REDIS_REPLY_ERROR && !accept_acknowledgement(*reply)) found.reset();
    return found;
}

void session_link::read_replies() {
    answers_->receive();
    while (broken_.empty() && !gone_) {
        const auto reply = next_reply();
        if (!reply) break;
        deliver_settled();
        pending entry;
        std::optional<pending> list;
        {
            const base::lock_guard lock{mutex_};
            if (pending_.empty()) {
                broken_ = "an answer came that was not asked for";
                return;
            }
            entry = std::move(pending_.front());
            pending_.pop_front();
            if (!pending_.empty() && pending_.front().shared) {
                list = std::move(pending_.front());
                pending_.pop_front();
            }
        }
        handle(entry, std::move(list), *reply);
    }
    if (broken_.empty()) deliver_settled();
}

void session_link::handle(pending& entry, std::optional<pending>&& list, const redisReply& reply) {
    if (reply.type == REDIS_REPLY_ERROR)
        return handle_error(entry, std::move(list),
                            without_arguments({reply.str == nullptr ? "" : reply.str, reply.len}));
    const auto head = parse_head(reply);
    if (!head) return break_off(std::move(entry), std::move(list));
    if (head->code == k_session_gone) {
        gone_ = true;
        return refuse(entry, list, core::server_error::session_expired);
    }
    if (head->code == k_session_moved) {
        broken_ = "the session is on another connection";
        return put_back(std::move(entry), std::move(list));
    }
    answered_sent_ = std::max(answered_sent_, entry.sent);
    std::optional<answer_along> along;
    if (entry.why == purpose::poll && !parse_list_along(reply, along))
        return break_off(std::move(entry), std::move(list));
    if (along) along->reply.sent = entry.sent;
    deliver_with(std::move(along), [&] { take_head(*head); });
    if (entry.why == purpose::forget) watches_.forget_watches(entry.path);
    if (entry.why != purpose::user) return;
    core::reply r;
    if (!parse_reply(entry.op, head->code, reply, r))
        return break_off(std::move(entry), std::move(list));
    watches_.on_reply(entry.op, r.error);
    const bool changed = r.error == core::server_error::ok && core::changes_nodes(entry.op);
    if (changed || r.error == core::server_error::no_node)
        changed_zxid_ = std::max(changed_zxid_, head->zxid);
    if (std::holds_alternative<core::children_op>(entry.op)) hear_of_children(r);
    answer(entry, std::move(r));
    if (!list) return;
    core::reply listing;
    if (!parse_listing(list->op, reply, listing)) return break_off(std::move(*list), std::nullopt);
    hear_of_children(listing);
    answer(*list, std::move(listing));
}

// Notes the zxid of a list, because the client relies on lists as well. If a contender is missing in a list, the event
// of its removal may never have come.
void session_link::hear_of_children(const core::reply& listing) {
    if (listing.error == core::server_error::ok)
        changed_zxid_ = std::max(changed_zxid_, listing.stat.pzxid);
}

// Handles an error reply. The server has not executed the request, or only a part of it, if the user lacked a right
// inside the script.
void session_link::handle_error(pending& entry, std::optional<pending>&& list,
                                std::string_view text) {
    switch (judge_refusal(text)) {
        case refusal::throttled:
            if (entry.why == purpose::user)
                return refuse(entry, list, core::server_error::throttled);
            if (entry.why == purpose::forget) {
                watches_.on_refused_give_back(entry.path);
                give_back_at_ = boottime_clock::now() + k_busy_pause;
                return;
            }
            come_back_ = boottime_clock::now() + k_busy_pause;
            return;
        case refusal::full: return refuse(entry, list, core::server_error::quota_exceeded);
        case refusal::renew:
        case refusal::away:
        case refusal::credentials:
            broken_ = text;
            return settle(std::move(entry), std::move(list),
                          is_broken_off(text) ? core::outcome::unknown : core::outcome::not_sent);
        case refusal::other: break;
    }
    log::write(log_level::error, "{}: {}", place(), text);
    refuse(entry, list, core::server_error::other);
}

// Called for an answer that no script of this library gives. The server may have executed the request, so its outcome
// is unknown.
void session_link::break_off(pending&& entry, std::optional<pending>&& list) {
    log::write(log_level::error, "{}: {}", place(), k_no_sense);
    broken_ = k_no_sense;
    settle(std::move(entry), std::move(list), core::outcome::unknown);
}

// Stores the outcome of both requests. Their callers get the outcome when the session is detached.
void session_link::settle(pending&& entry, std::optional<pending>&& list, core::outcome how) {
    for (auto* each : {&entry, list ? &*list : nullptr}) {
        if (each == nullptr) continue;
        each->settled.emplace();
        each->settled->id = each->id;
        each->settled->outcome = how;
    }
    put_back(std::move(entry), std::move(list));
}

void session_link::refuse(const pending& entry, const std::optional<pending>& list,
                          core::server_error why) {
    if (entry.why == purpose::user) answer(entry, core::answered(why));
    if (list) answer(*list, core::answered(why));
}

void session_link::put_back(pending&& entry, std::optional<pending>&& list) {
    const base::lock_guard lock{mutex_};
    if (list) pending_.push_front(std::move(*list));
    pending_.push_front(std::move(entry));
}

// ---- wake-ups -------------------------------------------------------------------------------

void session_link::read_wakes() {
    wakes_->receive();
    owned_reply last;
    while (auto next = wakes_->next()) last = std::move(next);
    if (wakes_->broken()) broken_ = wakes_->reason();
    constexpr std::size_t k_payload = 2;
    if (!last || take_wake(text_at(*last, k_payload))) return;
    const base::lock_guard lock{mutex_};
    poll_server();
}

// Delivers the event that a wake-up message contains, which is the first event of the session's queue at the server. A
// reply that belongs before the event would break the order. If no request is in progress, there is no such reply: all
// earlier requests are answered, and the server executes later requests after the event. The next script returns the
// event again, but then no watch waits for it, and the session drops it. If an earlier reply had the zxid of the event
// or a later zxid, that reply has brought the event. The list in the message counts as sent with the latest answered
// request: only answers to requests extend the lease. If replicas must acknowledge, the session does not use the
// message, because the replicas may lack the event.
bool session_link::take_wake(std::string_view text) {
    std::optional<wake> told;
    {
        const base::lock_guard lock{mutex_};
        if (text.empty() || !pending_.empty() || !replicas_.empty()) return false;
        told = parse_wake(text, mark_);
        if (!told || told->zxid <= seen_zxid_) return false;
        fetch_by_ = boottime_clock::now() + k_fetch_pause;
    }
    if (told->listing) told->listing->reply.sent = answered_sent_;
    deliver_with(std::move(told->listing), [&] {
        seen_zxid_ = told->zxid;
        changed_zxid_ = std::max(changed_zxid_, told->zxid);
        hear({told->event});
    });
    deliver_settled();
    return true;
}

// ---- deliveries -----------------------------------------------------------------------------

void session_link::take_head(const answer_head& head) {
    come_back_ = head.until_next < core::duration{}
                     ? core::time_point::max()
                     : boottime_clock::now() + head.until_next + k_behind_deadline;
    hear(head.events);
    seen_zxid_ = std::max(seen_zxid_, head.zxid);
    // The client relies on the removals that it has seen, such as the removal of its predecessor's znode. So their zxid
    // must not get lost.
    for (const auto& event : head.events)
        if (event.kind == core::watch_kind::deleted)
            changed_zxid_ = std::max(changed_zxid_, head.zxid);
}

// The list comes from the script that returned the event. So the list may answer only requests that the client makes
// during the delivery of the event.
template <class F>
void session_link::deliver_with(std::optional<answer_along>&& along, F&& delivery) {
    const auto keep = [this](std::optional<answer_along>&& kept) {
        const base::lock_guard lock{mutex_};
        along_ = std::move(kept);
    };
    keep(std::move(along));
    delivery();
    keep(std::nullopt);
}

// Delivers the events for which a watch waits. An event without a watch belongs to a watch that the client has removed.
void session_link::hear(const std::vector<core::watch_event>& events) {
    const auto on = connection();
    for (const auto& event : events)
        if (watches_.on_event(event.kind, event.path))
            deliver(core::watch_event{event.kind, root_.to_client(event.path), on});
}

void session_link::answer(const pending& entry, core::reply&& r) {
    r.id = entry.id;
    if (entry.sent != core::time_point{}) r.sent = entry.sent;
    r.connection = connection();
    root_.to_client(r);
    deliver(std::move(r));
}

void session_link::deliver_settled() {
    for (;;) {
        core::reply r;
        {
            const base::lock_guard lock{mutex_};
            if (pending_.empty() || !pending_.front().settled) return;
            r = std::move(*pending_.front().settled);
            pending_.pop_front();
        }
        deliver(std::move(r));
    }
}

void session_link::deliver(core::coordinator_event&& event) noexcept {
    if (!silent_) sink_.deliver(std::move(event));
}

std::uint64_t session_link::connection() const {
    const base::lock_guard lock{mutex_};
    return connection_;
}

}  // namespace turnstile::redis
