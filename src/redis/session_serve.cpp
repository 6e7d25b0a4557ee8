// SPDX-License-Identifier: Apache-2.0
// What the session's thread does while there is a connection.
#include <fmt/core.h>
#include <hiredis/hiredis.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "base/log.hpp"
#include "redis/poll_time.hpp"
#include "redis/session_link.hpp"
#include "redis/wake.hpp"

namespace turnstile::redis {
namespace {

using std::chrono_literals::operator""ms;

constexpr int k_keep_alive_part = 3;  // of the time-out, as ZooKeeper's clients
// The poll comes at the other session's deadline by our clock, and behind it by the server's.
constexpr core::duration k_behind_deadline = 1ms;
constexpr core::duration k_busy_pause = 100ms;
// So long a request may take the events along that are at the server behind one that was delivered.
constexpr core::duration k_fetch_pause = 5ms;
constexpr core::duration k_least_silence = 100ms;
constexpr std::string_view k_no_sense = "the answer makes no sense";

}  // namespace

void session_link::serve() {
    while (broken_.empty() && !gone_) {
        do_what_is_due();
        if (leave_replaced_master()) return;
        if (answers_->broken()) {
            broken_ = answers_->reason();
            return;
        }
        if (!await_something()) return;
    }
}

// Nothing is read meanwhile but by callers.
bool session_link::await_something() {
    std::array<pollfd, 6> waited{
        {{turn_.fd(), POLLIN, 0},
         {wakes_->fd(), POLLIN, 0},
         {wake_.fd(), POLLIN, 0},
         {stop_.fd(), POLLIN, 0},
         {watch_ ? watch_->fd() : -1, watch_ ? watch_->awaited() : short{0}, 0},
         {-1, POLLOUT, 0}}};
    core::time_point until{};
    {
        const base::lock_guard lock{mutex_};
        const bool all_sent = sending_ || commands_->sent_all() || commands_->send();
        if (!all_sent) waited[5].fd = commands_->fd();
        until = rests_until_ = next_due();
        turn_.rest();
    }
    ::poll(waited.data(), waited.size(), milliseconds_until(until));
    {
        base::unique_lock lock{mutex_};
        turn_.resume(lock);
        reader_ = own_thread_.load();
    }
    if (waited[3].revents != 0) return false;
    if (waited[2].revents != 0) {
        wake_.clear();
        // What a caller was refused is told behind the end of the connection.
        if (broken_.empty()) deliver_settled();
    }
    if (waited[0].revents != 0) read_replies();
    if (waited[1].revents != 0) read_wakes();
    return true;
}

core::time_point session_link::next_due() {
    auto due = std::min({last_sent_ + settings_.timeout / k_keep_alive_part, reap_at_, fetch_by_});
    if (!watches_.list().empty()) due = std::min(due, come_back_);
    if (watches_.owes()) due = std::min(due, give_back_at_);
    if (watch_) due = std::min(due, watch_->due());
    return due;
}

// Another server is the master now, by what the sentinels say: this one may go on for a while.
bool session_link::leave_replaced_master() {
    if (!watch_) return false;
    watch_->go_on(boottime_clock::now());
    if (!watch_->switched()) return false;
    replaced_->left(watch_->epoch(), boottime_clock::now() + settings_.timeout);
    broken_ = fmt::format("the sentinels have made {} the master", to_string(*watch_->switched()));
    log::write(log_level::warning, "{}: {}", place(), broken_);
    return true;
}

void session_link::do_what_is_due() {
    const auto now = boottime_clock::now();
    const auto silence =
        std::max<core::duration>(settings_.timeout * 2 / k_keep_alive_part, k_least_silence);
    const bool watching = !watches_.list().empty();
    const base::lock_guard lock{mutex_};
    if (!pending_.empty() && !pending_.front().settled && now - pending_.front().sent > silence) {
        broken_ = "the server has not answered for two thirds of the session time-out";
        return;
    }
    if (now >= reap_at_) {
        reap_at_ = now + options_.container_interval;
        const auto span = std::chrono::ceil<std::chrono::microseconds>(options_.container_interval);
        pending entry;
        entry.why = purpose::reap;
        send(std::move(entry), {script::reap, {std::to_string(span.count())}});
    }
    if (watches_.owes() && now >= give_back_at_) give_back_again(now);
    const bool others_due = watching && now >= come_back_;
    if (others_due) come_back_ = core::time_point::max();
    if (others_due || now >= fetch_by_ || now >= last_sent_ + settings_.timeout / k_keep_alive_part)
        poll_server();
}

void session_link::poll_server() {
    pending entry;
    entry.why = purpose::poll;
    send(std::move(entry), {script::poll, {}});
}

// Under the lock: a watched read that is submitted from now on is behind it at the server.
void session_link::give_back_again(core::time_point now) {
    give_back_at_ = now + k_busy_pause;
    std::set<std::string> awaited;
    for (const auto& entry : pending_)
        if (const auto* path = local::watched_path(entry.op)) awaited.insert(*path);
    for (auto& path : watches_.take_owed(awaited)) send_forget(std::move(path));
}

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

// The event stands first in the list at the server. With nothing under way there is no reply that has to come before it:
// none to a request from before the removal, and those to later ones are behind it at the server, too. What the next
// script hands out begins with it once more; there is no watch left for it then.
// A zxid that is no later than that of a reply: the reply brought the event.
// What the server has acknowledged last says until when the session lives. Where replicas have to acknowledge, an event
// that they may not have is not heard of.
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

bool session_link::awaits_answer() const {
    return phase_ == phase::attached && !pending_.empty() && !pending_.front().settled;
}

bool session_link::is_needed() {
    return !broken_.empty() || gone_ || answers_->broken() || next_due() < rests_until_;
}

bool session_link::accept_acknowledgement(const redisReply& count) {
    if (count.type == REDIS_REPLY_INTEGER && count.integer >= where_.wait) return true;
    broken_ = fmt::format("fewer than {} replicas have acknowledged what was written", where_.wait);
    return false;
}

// ---- whose turn it is to read -----------------------------------------------------------------

bool session_link::help(core::time_point until) noexcept {
    std::array<pollfd, 2> waited{};
    {
        const base::lock_guard lock{mutex_};
        if (closing_ || !awaits_answer() || !turn_.begin_help()) return false;
        reader_ = ::pthread_self();
        waited = {{{turn_.connection(), POLLIN, 0}, {turn_.leave_fd(), POLLIN, 0}}};
    }
    await_any(waited, until);
    const bool came = waited[0].revents != 0;
    if (came) read_replies();
    base::unique_lock lock{mutex_};
    reader_ = own_thread_.load();
    turn_.end_help();
    const bool is_over = is_needed();
    if (is_over) wake_.set();
    send_now(lock);
    return came && !is_over;
}

// ---- replies --------------------------------------------------------------------------------

// With replicas to wait for there are two replies: the script's, and how many have what was written until then. What
// too few have is left as if no reply had come. An error was no write.
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

// Its client goes by a list, too: of a contender that is in it no more there need not have been an event.
void session_link::hear_of_children(const core::reply& listing) {
    if (listing.error == core::server_error::ok)
        changed_zxid_ = std::max(changed_zxid_, listing.stat.pzxid);
}

// No refused request was carried out, except in part by a script that was broken off for a missing right.
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

// An answer that no script gives: what it is about may have been carried out.
void session_link::break_off(pending&& entry, std::optional<pending>&& list) {
    log::write(log_level::error, "{}: {}", place(), k_no_sense);
    broken_ = k_no_sense;
    settle(std::move(entry), std::move(list), core::outcome::unknown);
}

// What has become of them is told once the session is detached.
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

void session_link::take_head(const answer_head& head) {
    come_back_ = head.until_next < core::duration{}
                     ? core::time_point::max()
                     : boottime_clock::now() + head.until_next + k_behind_deadline;
    hear(head.events);
    seen_zxid_ = std::max(seen_zxid_, head.zxid);
    // Its client goes by what it was told is gone: a contender of its own, or the one ahead.
    for (const auto& event : head.events)
        if (event.kind == core::watch_kind::deleted)
            changed_zxid_ = std::max(changed_zxid_, head.zxid);
}

// It is from the script that gave the event: it is good for what is asked while that is delivered, not later.
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

// An event that no watch waits for belongs to one that was forgotten.
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
