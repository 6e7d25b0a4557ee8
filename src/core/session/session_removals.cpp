// SPDX-License-Identifier: Apache-2.0
// Znodes of contenders that have given up: removed by themselves, or together in one transaction
// (removal_queue.hpp).
//
// Each acquisition has a ticket of its own, and its answer, as if the request had been its own. A transaction is all
// or nothing: where one of its parts is refused, all of them are sent again at once, each by itself, and each gets
// its own answer.
#include <algorithm>
#include <utility>

#include "core/session/session_context.hpp"

namespace turnstile::core {

namespace {

// It is about one of the znodes, and not about the session or its server.
bool is_refused(const reply& what) {
    if (what.what != outcome::answered) return false;
    switch (what.error) {
        case server_error::ok:
        case server_error::session_expired:
        case server_error::session_moved:
        case server_error::not_read_only: return false;
        default: return true;
    }
}

operation request_for(const std::vector<removal>& all) {
    if (all.size() == 1) return remove_op{all.front().path};
    multi_op together;
    for (const auto& one : all) together.parts.emplace_back(remove_op{one.path});
    return together;
}

}  // namespace

ticket session_core::remove_for(acquisition_id who, const std::string& path,
                                const std::vector<std::string>& watched) {
    const ticket id{next_ticket_++};
    std::vector<std::string> alone;
    for (const auto& one : watched)
        if (watches_.remove(one, who) && !removals_.removes(one)) alone.push_back(one);
    removals_.add({who, id, path, std::move(alone)});
    send_removals(sending::in_turn);
    return id;
}

void session_core::send_removals(sending when) {
    if (!attached_) return;
    while (removals_.ready() || (when == sending::all && !removals_.empty()))
        remove_together(removals_.take());
}

// A watch on a znode that we remove is used up by that, and need not be given back.
void session_core::give_back(removal& one) {
    for (auto& path : std::exchange(one.watched, {}))
        if (!removals_.removes(path) && watches_.interested(path).empty())
            actions_.emplace_back(forget_watches{std::move(path)});
}

// Who is over by now, since somebody else has removed its znode, would only make the others fail.
void session_core::remove_together(std::vector<removal>&& all) {
    for (auto& one : all) give_back(one);
    std::erase_if(all, [this](const removal& one) {
        if (acquisitions_.contains(one.who)) return false;
        removals_.over(one);
        return true;
    });
    if (all.empty()) return;
    const auto id = all.size() == 1 ? all.front().id : ticket{next_ticket_++};
    removals_.sent(id);
    auto op = request_for(all);
    send_as(id, std::move(op), {to_removers{std::move(all)}, true});
}

void session_core::on_removed(const to_removers& to, const reply& what) {
    removals_.answered(what.id);
    if (to.all.size() > 1 && is_refused(what)) {  // place: batch_is_refused
        remove_one_by_one(to, what);
    } else {
        answer_removers(to, what);
    }
    send_removals(sending::in_turn);  // also if all of them are over by now, and nothing was sent
}

void session_core::remove_one_by_one(const to_removers& to, const reply& what) {
    if (attached_) {
        for (const auto& one : to.all) remove_together({one});  // place: sent_each_by_itself
        return;
    }
    auto nothing_done = what;
    nothing_done.what = outcome::not_sent;
    answer_removers(to, nothing_done);
}

void session_core::answer_removers(const to_removers& to, const reply& what) {
    auto answer = what;  // place: answers_removers
    answer.parts.clear();
    for (const auto& one : to.all) removals_.over(one);
    for (const auto& one : to.all) {
        answer.id = one.id;
        with(one.who, [&answer](acquisition& a, acquisition_context& c) { a.on_reply(c, answer); });
    }
}

}  // namespace turnstile::core
