// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "simulation/describe.hpp"
#include "verification/search/model.hpp"

// The numbers of the model's values.
namespace turnstile::search {

namespace {

std::string text_of_act(const core::operation& what) {
    return fmt::format("{} {}", what.index(), simulation::describe(what));
}
std::string text_of_act(const set_again& what) {
    std::string text =
        what.told == set_again::order::forwards ? "watches again:" : "watches again, backwards:";
    const auto& list = what.watches;
    for (const auto* paths : {&list.data, &list.exists, &list.children}) {
        text += '|';
        for (const auto& path : *paths) text += path + ' ';
    }
    return text;
}
std::string text_of_act(const forget_watch& what) {
    return "forget " + what.path;
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
std::string text_of_act(const remove_by_hand& what) {
    return "remove by hand " + text_of(what.which);
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
    if (const auto* what = std::get_if<happening>(&e)) {
        sum.add(*what);
    } else if (const auto* reply = std::get_if<core::reply>(&e)) {
        sum.add(reply->error);
        sum.add(reply->path);
        for (const auto& child : reply->children) sum.add(child);
    } else {
        sum.add(std::get<core::watch_event>(e).path);
    }
    return sum.value();
}

value_id model::number(unsigned who, client&& value) {
    auto& known = clients_[who];
    const auto id = known.id_of(std::move(value));
    if (id == faces_[who].size()) faces_[who].push_back(look(known[id]));
    return id;
}

value_id model::number(session_name who, server_act&& what) {
    server_event made{who, std::move(what), {}};
    made.text = fmt::format("{} ", who) +
                std::visit([](const auto& one) { return text_of_act(one); }, made.what);
    return server_events_.id_of(std::move(made));
}

model::face model::look(const client& value) {
    face made;
    made.at = value.at();
    made.holds = value.holds();
    made.crashed = value.crashed();
    made.called = value.called();
    made.attached = value.attached();
    made.may_attach = value.may_attach();
    made.timer_due = value.timer_due();
    made.has_timer = value.has_timer();
    made.lease_over = value.lease_over();
    made.finished = value.finished();
    made.hears = !value.inbox().empty();
    made.granted = value.granted();
    made.session = value.session();
    made.broken = !value.breach().empty();
    if (!value.to_servers().empty()) {
        const auto& front = value.to_servers().front();
        const auto* request = std::get_if<asked>(&front);
        made.front_is_request = request != nullptr;
        if (request != nullptr) {
            made.front = number(made.session, request->op);
        } else if (const auto* forget = std::get_if<forget_watch>(&front)) {
            made.front = number(made.session, *forget);
        } else {
            const auto& list = std::get<local::client_watch_list>(front);
            made.front = number(made.session, set_again{list, set_again::order::forwards});
            made.backwards = number(made.session, set_again{list, set_again::order::backwards});
        }
    }
    if (!value.given_up_sessions().empty())
        made.closing = number(value.given_up_sessions().front(), close_session{});
    if (!value.late().empty()) made.late = number(made.session, value.late().front());
    return made;
}

std::size_t model::distinct_clients() const noexcept {
    std::size_t sum = 0;
    for (const auto& one : clients_) sum += one.size();
    return sum;
}

}  // namespace turnstile::search
