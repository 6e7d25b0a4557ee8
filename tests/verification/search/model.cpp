// SPDX-License-Identifier: Apache-2.0
#include "verification/search/model.hpp"

#include <algorithm>
#include <utility>

// Finds the possible steps of a state, and their effects. judge.cpp judges the states, and intern.cpp gives numbers to
// them.
namespace turnstile::search {

model::model(const bounds& limits)
    : limits_{limits},
      clients_(limits.clients),
      faces_(limits.clients),
      client_memo_(limits.clients) {
    start();
}

void model::start() {
    // Numbers all happenings in the order of the enum.
    for (value_id value = 0; value <= static_cast<value_id>(happening::crash); ++value)
        (void)client_events_.id_of(static_cast<happening>(value));
    first_.faults = static_cast<std::uint8_t>(limits_.faults);
    first_.early_timers = static_cast<std::uint8_t>(limits_.early_timers);
    first_.servers = servers_.id_of(servers{limits_.wrong});
    for (unsigned index = 0; index != limits_.clients; ++index) {
        first_.clients[index] = number(index, client{index, limits_});
        attach(first_, index);
        give(first_, index, happening::deliver);
    }
}

// ---- the possible steps ---------------------------------------------------------------------

void model::successors(const position& from, std::vector<transition>& next) {
    list_steps(from, steps_);
    next.clear();
    for (const auto& step : steps_) {
        const auto to = take(from, step);
        // With fewer than two missed events, both orders are equal.
        if (step.kind == act::serve_backwards && to == next.back().to) continue;
        next.push_back({step, to});
    }
}

bool model::may_end(const std::vector<transition>& next) {
    return std::all_of(next.begin(), next.end(), [](const transition& transition) {
        return is_optional(transition.move.kind);
    });
}

void model::list_steps(const position& from, std::vector<step>& steps) const {
    steps.clear();
    for (unsigned client = 0; client != limits_.clients; ++client) list_steps(from, client, steps);
    const bool stuck = std::all_of(steps.begin(), steps.end(),
                                   [](const step& step) { return is_optional(step.kind); });
    if (stuck && !all_finished(from) && from.passes != k_most_passes)
        steps.push_back({act::pass, 0});
    if (from.faults == 0) return;
    for (const auto& entry : servers_at(from).standing()) {
        if (entry.owner != 0) steps.push_back({act::remove_by_hand, entry.number});
    }
}

void model::list_steps(const position& from, unsigned client, std::vector<step>& steps) const {
    const auto& f = face_of(from, client);
    const auto id = static_cast<std::uint8_t>(client);
    const auto add = [&](bool possible, act act) {
        if (possible) steps.push_back({act, id});
    };
    const bool lives = session_lives(from, client);
    add(may_acquire(from, client), act::acquire);
    add(f.at == stage::holding, act::release);
    add(f.front.has_value(), act::serve);
    add(f.backwards.has_value(), act::serve_backwards);
    add(f.hears, act::deliver);
    add(f.may_attach, act::attach);
    add(f.timer_due, act::timer);
    add(f.closing.has_value(), act::closes);
    add(f.crashed && lives, act::reap);
    add(f.late.has_value() && lives, act::late);
    const bool may_expire = f.lease_over || limits_.wrong == wrong_world::early_expiry;
    add(!f.crashed && !f.finished && lives && may_expire, act::expire);
    add(from.early_timers != 0 && f.has_timer && !f.finished && !f.timer_due, act::early_timer);
    if (from.faults != 0 && !f.crashed && !f.finished) list_faults(from, client, steps);
}

void model::list_faults(const position& from, unsigned client, std::vector<step>& steps) const {
    const auto& f = face_of(from, client);
    const auto id = static_cast<std::uint8_t>(client);
    if (f.attached) steps.push_back({act::cut, id});
    if (!f.lease_over) steps.push_back({act::silence, id});
    if (f.called) steps.push_back({act::crash, id});
    if (f.at == stage::waiting) steps.push_back({act::cancel, id});
}

// Clients differ only in their numbers. So the search needs only the histories in which the clients make their first
// calls in the order of their numbers.
bool model::may_acquire(const position& from, unsigned client) const {
    if (face_of(from, client).at != stage::resting) return false;
    for (unsigned other = 0; other != client; ++other) {
        if (!face_of(from, other).called) return false;
    }
    return true;
}

bool model::session_lives(const position& at, unsigned client) const {
    const auto session = face_of(at, client).session;
    return session != 0 && servers_at(at).has(session);
}

bool model::all_finished(const position& at) const {
    for (unsigned client = 0; client != limits_.clients; ++client) {
        if (!face_of(at, client).finished) return false;
    }
    return true;
}

// ---- the effects of a step ------------------------------------------------------------------

position model::take(const position& from, const step& step) {
    auto p = from;
    const unsigned index = step.subject;
    if (is_fault(step.kind)) --p.faults;
    switch (step.kind) {
        case act::acquire: give(p, index, happening::acquire); break;
        case act::release: give(p, index, happening::release); break;
        case act::serve: serve(p, index, *face_of(p, index).front); break;
        case act::serve_backwards: serve(p, index, *face_of(p, index).backwards); break;
        case act::deliver: give(p, index, happening::deliver); break;
        case act::attach: attach(p, index); break;
        case act::early_timer: --p.early_timers; [[fallthrough]];
        case act::timer: give(p, index, happening::timer); break;
        case act::pass: pass(p); break;
        case act::late: {
            const auto write = *face_of(p, index).late;
            give(p, index, happening::late_carried_out);
            ask(p, write);
            break;
        }
        case act::closes: {
            const auto closing = *face_of(p, index).closing;
            give(p, index, happening::session_closed);
            ask(p, closing);
            break;
        }
        case act::reap:
        case act::expire: expire(p, index); break;
        case act::cut: cut(p, index, happening::cut); break;
        case act::silence: give(p, index, happening::silence); break;
        case act::crash: cut(p, index, happening::crash); break;
        case act::cancel: give(p, index, happening::cancel); break;
        case act::remove_by_hand: ask(p, 0, remove_by_hand{step.subject}); break;
    }
    for (unsigned client = 0; client != limits_.clients; ++client) {
        const auto& now = face_of(p, client);
        if (now.granted != 0 && face_of(from, client).granted == 0)
            p.last_grant = std::max(p.last_grant, now.granted);
    }
    return p;
}

// The servers send the events of a request before its answer, as real servers do.
void model::serve(position& p, unsigned client, value_id event) {
    const bool is_request = face_of(p, client).front_is_request;
    const auto reply = ask(p, event);
    if (is_request) {
        give(p, client, reply);
    } else {
        give(p, client, happening::sent);
    }
}

void model::attach(position& p, unsigned client) {
    const auto session = face_of(p, client).session;
    if (session == 0) {
        ask(p, client_at(p, client).next_session(), open_session{});
    } else if (!servers_at(p).has(session)) {
        return give(p, client, happening::told_expired);
    }
    give(p, client, happening::attach);
}

void model::cut(position& p, unsigned client, happening how) {
    const auto f = face_of(p, client);
    give(p, client, how);
    if (f.attached) ask(p, f.session, drop_watches{});
}

void model::expire(position& p, unsigned client) {
    const auto session = face_of(p, client).session;
    ask(p, session, close_session{});
    give(p, client, happening::closed_by_servers);
}

void model::pass(position& p) {
    ++p.passes;
    for (unsigned client = 0; client != limits_.clients; ++client) {
        const auto& f = face_of(p, client);
        if (f.has_timer && !f.finished) give(p, client, happening::timer);
    }
}

// ---- numbers --------------------------------------------------------------------------------

void model::give(position& p, unsigned client, happening happening) {
    give(p, client, static_cast<value_id>(happening));
}

// When a client gives up a session, it closes the connection, which ends the connection's watches.
void model::give(position& p, unsigned client, value_id event) {
    const auto session = face_of(p, client).session;
    p.clients[client] = client_memo_[client].get(p.clients[client], event, [&] {
        auto value = client_at(p, client);
        std::visit([&value](const auto& entry) { value.on(entry); }, client_events_[event]);
        return number(client, std::move(value));
    });
    if (session != 0 && face_of(p, client).session == 0) ask(p, session, drop_watches{});
}

value_id model::ask(position& p, session_name session, server_act&& act) {
    return ask(p, number(session, std::move(act)));
}

value_id model::ask(position& p, value_id event) {
    const auto& result = server_memo_.get(p.servers, event, [&] {
        auto value = servers_at(p);
        const auto& asked_for = server_events_[event];
        auto answer = value.execute(asked_for.session, asked_for.action);
        served outcome;
        for (auto& entry : answer.told) {
            outcome.told.emplace_back(
                client_of(entry.session),
                client_events_.id_of(core::watch_event{entry.kind, std::move(entry.path), 0}));
        }
        outcome.reply = client_events_.id_of(std::move(answer.reply));
        outcome.servers = servers_.id_of(std::move(value));
        return outcome;
    });
    p.servers = result.servers;
    for (const auto& [to, told] : result.told) give(p, to, told);
    return result.reply;
}

}  // namespace turnstile::search
