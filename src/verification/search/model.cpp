// SPDX-License-Identifier: Apache-2.0
#include "verification/search/model.hpp"

#include <algorithm>
#include <utility>

// What may happen, and what comes of it. judge.cpp has what must hold, intern.cpp the numbers.
namespace turnstile::search {

model::model(const bounds& limits)
    : limits_{limits},
      clients_(limits.clients),
      faces_(limits.clients),
      client_memo_(limits.clients) {
    start();
}

void model::start() {
    // Happenings are their own numbers.
    for (value_id what = 0; what <= static_cast<value_id>(happening::crash); ++what)
        (void)client_events_.id_of(static_cast<happening>(what));
    first_.faults = static_cast<std::uint8_t>(limits_.faults);
    first_.early_timers = static_cast<std::uint8_t>(limits_.early_timers);
    first_.servers = servers_.id_of(servers{limits_.wrong});
    for (unsigned who = 0; who != limits_.clients; ++who) {
        first_.clients[who] = number(who, client{who, limits_});
        attach(first_, who);
        give(first_, who, happening::deliver);
    }
}

// ---- what may happen ------------------------------------------------------------------------

void model::successors(const position& from, std::vector<transition>& next) {
    list_steps(from, steps_);
    next.clear();
    for (const auto& one : steps_) {
        const auto to = take(from, one);
        // Where less than two events were missed, there is only one order.
        if (one.what == act::serve_backwards && to == next.back().to) continue;
        next.push_back({one, to});
    }
}

bool model::may_end(const std::vector<transition>& next) {
    return std::all_of(next.begin(), next.end(),
                       [](const transition& one) { return is_optional(one.what.what); });
}

void model::list_steps(const position& from, std::vector<step>& steps) const {
    steps.clear();
    for (unsigned who = 0; who != limits_.clients; ++who) list_steps(from, who, steps);
    const bool stuck = std::all_of(steps.begin(), steps.end(),
                                   [](const step& one) { return is_optional(one.what); });
    if (stuck && !all_finished(from) && from.passes != k_most_passes)
        steps.push_back({act::pass, 0});
    if (from.faults == 0) return;
    for (const auto& one : servers_at(from).standing()) {
        if (one.owner != 0) steps.push_back({act::remove_by_hand, one.number});
    }
}

void model::list_steps(const position& from, unsigned who, std::vector<step>& steps) const {
    const auto& f = face_of(from, who);
    const auto id = static_cast<std::uint8_t>(who);
    const auto add = [&](bool possible, act what) {
        if (possible) steps.push_back({what, id});
    };
    const bool lives = session_lives(from, who);
    add(may_acquire(from, who), act::acquire);
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
    if (from.faults != 0 && !f.crashed && !f.finished) list_faults(from, who, steps);
}

void model::list_faults(const position& from, unsigned who, std::vector<step>& steps) const {
    const auto& f = face_of(from, who);
    const auto id = static_cast<std::uint8_t>(who);
    if (f.attached) steps.push_back({act::cut, id});
    if (!f.lease_over) steps.push_back({act::silence, id});
    if (f.called) steps.push_back({act::crash, id});
    if (f.at == stage::waiting) steps.push_back({act::cancel, id});
}

// Clients differ by nothing but their numbers, so it is enough to look at the histories in which they
// call for the first time in the order of their numbers. One that crashed has called.
bool model::may_acquire(const position& from, unsigned who) const {
    if (face_of(from, who).at != stage::resting) return false;
    for (unsigned other = 0; other != who; ++other) {
        if (!face_of(from, other).called) return false;
    }
    return true;
}

bool model::session_lives(const position& at, unsigned who) const {
    const auto session = face_of(at, who).session;
    return session != 0 && servers_at(at).has(session);
}

bool model::all_finished(const position& at) const {
    for (unsigned who = 0; who != limits_.clients; ++who) {
        if (!face_of(at, who).finished) return false;
    }
    return true;
}

// ---- what comes of it -----------------------------------------------------------------------

position model::take(const position& from, const step& what) {
    auto p = from;
    const unsigned who = what.who;
    if (is_fault(what.what)) --p.faults;
    switch (what.what) {
        case act::acquire: give(p, who, happening::acquire); break;
        case act::release: give(p, who, happening::release); break;
        case act::serve: serve(p, who, *face_of(p, who).front); break;
        case act::serve_backwards: serve(p, who, *face_of(p, who).backwards); break;
        case act::deliver: give(p, who, happening::deliver); break;
        case act::attach: attach(p, who); break;
        case act::early_timer: --p.early_timers; [[fallthrough]];
        case act::timer: give(p, who, happening::timer); break;
        case act::pass: pass(p); break;
        case act::late: {
            const auto write = *face_of(p, who).late;
            give(p, who, happening::late_carried_out);
            ask(p, write);
            break;
        }
        case act::closes: {
            const auto closing = *face_of(p, who).closing;
            give(p, who, happening::session_closed);
            ask(p, closing);
            break;
        }
        case act::reap:
        case act::expire: expire(p, who); break;
        case act::cut: cut(p, who, happening::cut); break;
        case act::silence: give(p, who, happening::silence); break;
        case act::crash: cut(p, who, happening::crash); break;
        case act::cancel: give(p, who, happening::cancel); break;
        case act::remove_by_hand: ask(p, 0, remove_by_hand{what.who}); break;
    }
    for (unsigned one = 0; one != limits_.clients; ++one) {
        const auto& now = face_of(p, one);
        if (now.granted != 0 && face_of(from, one).granted == 0)
            p.last_grant = std::max(p.last_grant, now.granted);
    }
    return p;
}

// The events of a request come before its answer, as with the real servers.
void model::serve(position& p, unsigned who, value_id event) {
    const bool is_request = face_of(p, who).front_is_request;
    const auto reply = ask(p, event);
    if (is_request) {
        give(p, who, reply);
    } else {
        give(p, who, happening::sent);
    }
}

void model::attach(position& p, unsigned who) {
    const auto session = face_of(p, who).session;
    if (session == 0) {
        ask(p, client_at(p, who).next_session(), open_session{});
    } else if (!servers_at(p).has(session)) {
        return give(p, who, happening::told_expired);
    }
    give(p, who, happening::attach);
}

void model::cut(position& p, unsigned who, happening how) {
    const auto f = face_of(p, who);
    give(p, who, how);
    if (f.attached) ask(p, f.session, drop_watches{});
}

void model::expire(position& p, unsigned who) {
    const auto session = face_of(p, who).session;
    ask(p, session, close_session{});
    give(p, who, happening::closed_by_servers);
}

void model::pass(position& p) {
    ++p.passes;
    for (unsigned who = 0; who != limits_.clients; ++who) {
        const auto& f = face_of(p, who);
        if (f.has_timer && !f.finished) give(p, who, happening::timer);
    }
}

// ---- numbers --------------------------------------------------------------------------------

void model::give(position& p, unsigned who, happening what) {
    give(p, who, static_cast<value_id>(what));
}

// A client that gives a session up closes its connection, and its watches go at once.
void model::give(position& p, unsigned who, value_id event) {
    const auto session = face_of(p, who).session;
    p.clients[who] = client_memo_[who].get(p.clients[who], event, [&] {
        auto value = client_at(p, who);
        std::visit([&value](const auto& one) { value.on(one); }, client_events_[event]);
        return number(who, std::move(value));
    });
    if (session != 0 && face_of(p, who).session == 0) ask(p, session, drop_watches{});
}

value_id model::ask(position& p, session_name who, server_act&& what) {
    return ask(p, number(who, std::move(what)));
}

value_id model::ask(position& p, value_id event) {
    const auto& result = server_memo_.get(p.servers, event, [&] {
        auto value = servers_at(p);
        const auto& asked_for = server_events_[event];
        auto answer = value.execute(asked_for.who, asked_for.what);
        served made;
        for (auto& one : answer.told) {
            made.told.emplace_back(client_of(one.session), client_events_.id_of(core::watch_event{
                                                               one.kind, std::move(one.path), 0}));
        }
        made.reply = client_events_.id_of(std::move(answer.reply));
        made.servers = servers_.id_of(std::move(value));
        return made;
    });
    p.servers = result.servers;
    for (const auto& [to, told] : result.told) give(p, to, told);
    return result.reply;
}

}  // namespace turnstile::search
