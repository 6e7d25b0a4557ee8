// SPDX-License-Identifier: Apache-2.0
// Lists of one folder that the acquisitions of a session share: one under way, and the next one for all who came
// too late for it. Whoever asks wants to see what is there from now on, its own new znode for one: a list that was
// sent before does not show it.
//
// Each sharer has a ticket of its own, and its answer, as if the list had been its own. One that was sent on an
// earlier connection is nobody's to wait for: its answer comes, but may come late.
#include <utility>

#include "core/session/session_context.hpp"

namespace turnstile::core {

ticket session_core::list_for(acquisition_id who, const std::string& folder) {
    const auto found = lists_.find(folder);
    if (found == lists_.end() || found->second.on != connection_) {
        const ticket own{next_ticket_};  // which the request takes
        send_list(folder, {{who, own}});
        return own;
    }
    const sharer one{who, ticket{next_ticket_++}};
    found->second.next.push_back(one);  // place: joins_the_next_list
    return one.id;
}

void session_core::send_list(const std::string& folder, std::vector<sharer>&& all) {
    auto& one = lists_[folder];
    one.on = connection_;
    one.under_way = send(children_op{folder}, {to_sharers{folder, std::move(all)}, false});
}

void session_core::answer_sharers(const std::vector<sharer>& all, const reply& what) {
    if (all.size() == 1 && all.front().id == what.id) {
        return with(all.front().who,
                    [&what](acquisition& a, acquisition_context& c) { a.on_reply(c, what); });
    }
    prepared_list prepared{what.children};
    auto answer = what;
    for (const auto& one : all) {
        answer.id = one.id;
        with(
            one.who, [&answer](acquisition& a, acquisition_context& c) { a.on_reply(c, answer); },
            &prepared);
    }
}

void session_core::on_listed(const to_sharers& to, const reply& what) {
    answer_sharers(to.all, what);
    const auto found = lists_.find(to.folder);
    if (found == lists_.end() || found->second.under_way != what.id) return;
    auto next = std::exchange(found->second.next, {});
    if (!next.empty() && attached_) return send_list(to.folder, std::move(next));
    lists_.erase(found);
    if (next.empty()) return;
    reply never;
    never.what = outcome::not_sent;
    never.connection = what.connection;
    answer_sharers(next, never);
}

}  // namespace turnstile::core
