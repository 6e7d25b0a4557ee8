// SPDX-License-Identifier: Apache-2.0
// The members of session_link that handle the server's messages and deliver replies and events.
#include <hiredis/hiredis.h>

#include <utility>

#include "base/log.hpp"
#include "redis/bell.hpp"
#include "redis/session_link.hpp"

namespace turnstile::redis {

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
