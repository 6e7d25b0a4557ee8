// SPDX-License-Identifier: Apache-2.0
#include "redis/heard_changes.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace turnstile::redis {
namespace {

using std::chrono_literals::operator""ms;

// The pause after which the session repeats a request that it sent for itself, not for its user, and that a busy server
// has refused.
constexpr core::duration k_busy_pause = 100ms;
// The session polls this long after another session's computed deadline, so that the deadline has also passed on the
// server's clock.
constexpr core::duration k_behind_deadline = 1ms;

}  // namespace

script_call heard_changes::attach_call() const {
    script_call call{script::attach,
                     {std::to_string(seen_zxid_), history_, std::to_string(changed_zxid_)}};
    const auto add = [&call](const char* kind, const std::set<std::string>& paths) {
        for (const auto& path : paths)
            call.arguments.insert(call.arguments.end(), {std::string{kind}, path});
    };
    add("d", watches_.list().data);
    add("e", watches_.list().exists);
    add("c", watches_.list().children);
    return call;
}

void heard_changes::attached(std::int64_t zxid, std::string_view history, core::time_point sent,
                             bool is_new) {
    if (is_new) seen_zxid_ = zxid;
    history_ = history;
    answered_sent_ = sent;
}

void heard_changes::resolve_lost_change(std::int64_t zxid) {
    if (std::exchange(has_lost_change_, false)) changed_at(zxid);
}

void heard_changes::detached(const std::deque<pending_request>& left) {
    come_back_ = core::time_point::max();
    watches_.forget_owed();
    for (const auto& each : left) {
        if (each.why == purpose::forget) watches_.forget_watches(each.path);
        const bool unknown = each.settled ? each.settled->outcome == core::outcome::unknown
                                          : each.sent != core::time_point{};
        if (each.why == purpose::user && unknown && core::changes_nodes(each.op))
            has_lost_change_ = true;
    }
}

void heard_changes::changed_at(std::int64_t zxid) noexcept {
    changed_zxid_ = std::max(changed_zxid_, zxid);
}

// Records the zxid (transaction number) of each removal. The client relies on removals: for example, it gets the lock
// when the znode before its own in the queue was removed. The next attach then detects a server that has lost the
// removal.
std::vector<core::watch_event> heard_changes::on_head(answer_head&& head) {
    come_back_ = head.until_next < core::duration{}
                     ? core::time_point::max()
                     : boottime_clock::now() + head.until_next + k_behind_deadline;
    seen_zxid_ = std::max(seen_zxid_, head.zxid);
    for (const auto& event : head.events)
        if (event.kind == core::watch_kind::deleted) changed_at(head.zxid);
    return watched(std::move(head.events));
}

std::vector<core::watch_event> heard_changes::on_bell(std::int64_t zxid,
                                                      core::watch_event&& event) {
    seen_zxid_ = zxid;
    changed_at(zxid);
    std::vector<core::watch_event> events;
    events.push_back(std::move(event));
    return watched(std::move(events));
}

std::vector<core::watch_event> heard_changes::watched(std::vector<core::watch_event>&& events) {
    std::erase_if(events,
                  [this](const auto& event) { return !watches_.on_event(event.kind, event.path); });
    for (auto& event : events) event.path = root_.to_client(event.path);
    return std::move(events);
}

void heard_changes::on_answer(const pending_request& asked, const std::optional<core::reply>& reply,
                              const std::optional<core::reply>& listing, std::int64_t zxid) {
    const auto ok = core::server_error::ok;
    answered_sent_ = std::max(answered_sent_, asked.sent);
    if (asked.why == purpose::forget) watches_.forget_watches(asked.path);
    if (!reply) return;
    watches_.on_reply(asked.op, reply->error);
    if (reply->error == core::server_error::no_node ||
        (reply->error == ok && core::changes_nodes(asked.op)))
        changed_at(zxid);
    if (reply->error == ok && std::holds_alternative<core::children_op>(asked.op))
        on_list(reply->stat.pzxid);
    if (listing && listing->error == ok) on_list(listing->stat.pzxid);
}

void heard_changes::on_busy(const pending_request& asked) {
    const auto again = boottime_clock::now() + k_busy_pause;
    if (asked.why == purpose::forget) {
        watches_.on_refused_give_back(asked.path);
        remove_at_ = again;
    } else {
        come_back_ = again;
    }
}

bool heard_changes::is_removal_due(core::time_point now) const noexcept {
    return watches_.owes() && now >= remove_at_;
}

std::vector<std::string> heard_changes::take_owed(const std::set<std::string>& awaited) {
    remove_at_ = boottime_clock::now() + k_busy_pause;
    return watches_.take_owed(awaited);
}

bool heard_changes::take_expiry(core::time_point now) {
    if (watches_.list().empty() || now < come_back_) return false;
    come_back_ = core::time_point::max();
    return true;
}

core::time_point heard_changes::next() const {
    auto next = core::time_point::max();
    if (!watches_.list().empty()) next = std::min(next, come_back_);
    if (watches_.owes()) next = std::min(next, remove_at_);
    return next;
}

}  // namespace turnstile::redis
