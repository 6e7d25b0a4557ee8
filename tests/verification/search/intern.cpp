// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "simulation/describe.hpp"
#include "verification/search/model.hpp"

namespace turnstile::search {

namespace {

std::string text_of_act(const core::operation& op) {
    return fmt::format("{} {}", op.index(), simulation::describe(op));
}
std::string text_of_act(const set_again& again) {
    std::string text =
        again.told == set_again::order::forwards ? "watches again:" : "watches again, backwards:";
    const auto& list = again.watches;
    for (const auto* paths : {&list.data, &list.exists, &list.children}) {
        text += '|';
        for (const auto& path : *paths) text += path + ' ';
    }
    return text;
}
std::string text_of_act(const forget_watch& forgotten) {
    return "forget " + forgotten.path;
}
std::string text_of_act(const open_session&) {
    return "open";
}
std::string text_of_act(const close_session&) {
    return "close";
}
std::string text_of_act(const drop_watches&) {
    return "drop watches";
}
std::string text_of_act(const remove_by_hand& removal) {
    return "remove by hand " + text_of(removal.which);
}

}  // namespace

std::uint64_t model::hash_servers::operator()(const servers& s) const {
    digest sum;
    sum.add(s.key());
    return sum.value();
}

std::uint64_t model::hash_server_event::operator()(const server_event& e) const {
    digest sum;
    sum.add(e.text);
    return sum.value();
}

std::uint64_t model::hash_client_event::operator()(const client_event& e) const {
    digest sum;
    sum.add(e.index());
    if (const auto* own = std::get_if<happening>(&e)) {
        sum.add(*own);
    } else if (const auto* reply = std::get_if<core::reply>(&e)) {
        sum.add(reply->error);
        sum.add(reply->path);
        for (const auto& child : reply->children) sum.add(child);
    } else {
        sum.add(std::get<core::watch_event>(e).path);
    }
    return sum.value();
}

value_id model::number(unsigned index, client&& value) {
    auto& known = clients_[index];
    const auto id = known.id_of(std::move(value));
    if (id == faces_[index].size()) faces_[index].push_back(look(known[id]));
    return id;
}

value_id model::number(session_name session, server_act&& act) {
    server_event event{session, std::move(act), {}};
    event.text = fmt::format("{} ", session) +
                 std::visit([](const auto& entry) { return text_of_act(entry); }, event.action);
    return server_events_.id_of(std::move(event));
}

model::face model::look(const client& value) {
    face view;
    view.at = value.at();
    view.holds = value.holds();
    view.crashed = value.crashed();
    view.called = value.called();
    view.attached = value.attached();
    view.may_attach = value.may_attach();
    view.timer_due = value.timer_due();
    view.has_timer = value.has_timer();
    view.lease_over = value.lease_over();
    view.finished = value.finished();
    view.hears = !value.inbox().empty();
    view.granted = value.granted();
    view.session = value.session();
    view.broken = !value.breach().empty();
    if (!value.to_servers().empty()) {
        const auto& front = value.to_servers().front();
        const auto* request = std::get_if<sent_request>(&front);
        view.front_is_request = request != nullptr;
        if (request != nullptr) {
            view.front = number(view.session, request->op);
        } else if (const auto* forget = std::get_if<forget_watch>(&front)) {
            view.front = number(view.session, *forget);
        } else {
            const auto& list = std::get<local::client_watch_list>(front);
            view.front = number(view.session, set_again{list, set_again::order::forwards});
            view.backwards = number(view.session, set_again{list, set_again::order::backwards});
        }
    }
    if (!value.given_up_sessions().empty())
        view.closing = number(value.given_up_sessions().front(), close_session{});
    if (!value.late().empty()) view.late = number(view.session, value.late().front());
    return view;
}

std::size_t model::distinct_clients() const noexcept {
    std::size_t sum = 0;
    for (const auto& client : clients_) sum += client.size();
    return sum;
}

}  // namespace turnstile::search
