// SPDX-License-Identifier: Apache-2.0
#include "simulation/single_session.hpp"

#include <algorithm>
#include <set>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr int k_keep_alive_part = 3;  // keep-alives follow after this fraction of the timeout
constexpr core::duration k_least_patience = 500ms;
constexpr core::duration k_most_patience = 5s;
constexpr core::duration k_behind_deadline = 1ms;
constexpr core::duration k_busy_pause = 100ms;

}  // namespace

bool single_session::confirms(const question& asks) {
    const auto* request = std::get_if<asked>(&asks);
    return request != nullptr && core::is_write(request->request.op) &&
           !core::changes_nodes(request->request.op) &&
           std::holds_alternative<core::multi_op>(request->request.op);
}

single_session::single_session(client_id owner, std::uint64_t epoch, const scenario& scenario,
                               agenda& future, dice& chance, network& links,
                               const drifting_clock& clock)
    : server_session{owner, epoch, scenario, future, chance, links}, clock_{clock} {}

// ---- connecting -----------------------------------------------------------------------------

void single_session::connect() {
    if (connection_ || dead_ || ended_) return;
    connection_ = network_.open(owner_, 0);
    network_.to_server(*connection_, connect_request{session_, seen_zxid_, watches_.list(), heard_,
                                                     history_, changed_, changes_, removed_});
    const auto patience = std::clamp<core::duration>(scenario_.time.session_timeout / 2,
                                                     k_least_patience, k_most_patience);
    agenda_.after(patience, silence_due{*connection_});
}

void single_session::receive(connection_id by, const server_message& message) {
    const auto* answered = std::get_if<served>(&message);
    if (connection_ != by || answered == nullptr) return;
    if (attached_) return answer(*answered);
    if (answered->verdict == served::word::session_gone) return lose_session();
    if (answered->verdict == served::word::ok) return attach(*answered);
    drop_connection();
    connect_later();
}

void single_session::attach(const served& answer) {
    session_ = answer.session;
    history_ = answer.history;
    attached_ = true;
    silence_planned_ = false;
    alive_from_ = agenda_.now();
    ++number_;
    emit_link(core::link_kind::attached);
    emit_link(core::link_kind::role_known);
    hear(answer);
    if (std::exchange(has_unknown_change_, false)) changed_ = std::max(changed_, answer.zxid);
    looks_first_ = !is_redis();
    if (looks_first_) ask(look{false, true, true});
    send_next();
    plan_look();
}

// ---- requests -------------------------------------------------------------------------------

void single_session::submit(core::request&& request, core::time_point local_now) {
    asked opened{std::move(request), local_now};
    if (dead_) return reply(opened, core::answered(core::server_error::session_expired));
    if (!attached_) return reply(opened, core::reply{});
    ask(std::move(opened));
}

void single_session::forget_watches(const std::string& path) {
    if (attached_ || !is_redis()) return ask(drop_watch{path});
    watches_.forget_watches(path);  // the core does not know yet that the session is detached
}

// SQL: a request that only confirms the lease overtakes all other requests, but no earlier request that confirms the
// lease.
void single_session::ask(question&& asks) {
    // place: confirmations_overtake
    const auto place = is_redis() || !confirms(asks)
                           ? waiting_.end()
                           : std::find_if_not(waiting_.begin(), waiting_.end(), confirms);
    waiting_.insert(place, std::move(asks));
    send_next();
}

// SQL: requests that wait at the same time share a transaction.
bool single_session::may_send_next() const {
    if (!attached_ || waiting_.empty()) return false;
    if (is_redis() || under_way_.empty()) return true;
    return std::holds_alternative<asked>(under_way_.front().asks) &&
           std::holds_alternative<asked>(waiting_.front());
}

void single_session::send_next() {
    if (!is_redis() && !under_way_.empty()) return;
    while (may_send_next() && (is_redis() || under_way_.size() < scenario_.single.together)) {
        auto next = std::move(waiting_.front());
        waiting_.pop_front();
        send(std::move(next));
    }
}

void single_session::send(question&& asks) {
    client_message message = look{};
    if (auto* request = std::get_if<asked>(&asks)) {
        request->sent = clock_.local(agenda_.now());  // place: counts_from_its_leave
        message = request->request;
    } else if (const auto* drop = std::get_if<drop_watch>(&asks)) {
        message = *drop;
    } else {
        message = std::get<look>(asks);
    }
    if (is_redis()) alive_from_ = agenda_.now();
    under_way_.push_back({std::move(asks), agenda_.now()});
    network_.to_server(*connection_, std::move(message));
    expect_answer();
}

void single_session::answer(const served& answer) {
    if (under_way_.empty()) return;
    switch (answer.verdict) {
        case served::word::session_gone: return lose_session();
        case served::word::session_moved: return lose_connection(core::outcome::unknown);
        case served::word::away: return lose_connection(core::outcome::not_sent);
        case served::word::ok:
        case served::word::throttled: break;
    }
    const auto to = std::move(under_way_.front());
    under_way_.pop_front();
    if (answer.verdict == served::word::throttled) {
        reply(to.asks, core::answered(core::server_error::throttled));
        if (std::holds_alternative<look>(to.asks)) next_end_ = agenda_.now() + k_busy_pause;
        if (const auto* drop = std::get_if<drop_watch>(&to.asks)) {
            watches_.on_refused_give_back(drop->path);
            give_back_at_ = agenda_.now() + k_busy_pause;
        }
    } else {
        take_answer(to, answer);
    }
    send_next();
    plan_look();
}

void single_session::take_answer(const sent_question& to, const served& answer) {
    hear(answer);
    if (const auto* drop = std::get_if<drop_watch>(&to.asks)) {
        watches_.forget_watches(drop->path);
    } else if (const auto* request = std::get_if<asked>(&to.asks)) {
        const auto& op = request->request.op;
        watches_.on_reply(op, answer.reply->error);
        const auto error = answer.reply->error;
        const bool changed = core::changes_nodes(op) && error == core::server_error::ok;
        if (changed || error == core::server_error::no_node)
            changed_ = std::max(changed_, answer.zxid);
        if (std::holds_alternative<core::children_op>(op) && error == core::server_error::ok)
            changed_ = std::max(changed_, answer.reply->stat.pzxid);
        if (core::is_write(op)) alive_from_ = std::max(alive_from_, to.at);
        reply(to.asks, core::reply{*answer.reply});
    } else if (std::get<look>(to.asks).touch) {
        alive_from_ = std::max(alive_from_, to.at);
    }
    if (answer.watches) settle_watches(*answer.watches);  // place: watches_are_compared
}

// SQL: compares the client's watches with the watches of the server, which may have older data. For a watch that the
// server lost, the client reports a change of the znode. The client removes a watch that only the server has.
void single_session::settle_watches(const local::client_watch_list& standing) {
    const auto mine = watches_.list();
    const auto tell_lost = [this](const auto& known, const auto& there, core::watch_kind kind) {
        for (const auto& path : known)
            if (!there.contains(path) && watches_.on_event(kind, path))
                events_.push_back(core::watch_event{kind, path, number_});
    };
    tell_lost(mine.data, standing.data, core::watch_kind::changed);
    tell_lost(mine.exists, standing.data, core::watch_kind::changed);
    tell_lost(mine.children, standing.children, core::watch_kind::children);
    for (const auto* const there : {&standing.data, &standing.children})
        for (const auto& path : *there)
            if (!mine.data.contains(path) && !mine.exists.contains(path) &&
                !mine.children.contains(path))
                waiting_.emplace_front(drop_watch{path});
}

// Passes events to the client. An event that no watch waits for belongs to a watch that the client gave up.
void single_session::hear(const served& answer) {
    const bool missed = answer.missed || std::exchange(looks_first_, false);
    heard_ += answer.events.size();
    if (answer.changes > changes_) {
        changes_ = answer.changes;
        removed_.clear();
    }
    removed_.insert(answer.removed.begin(), answer.removed.end());
    for (const auto& event : answer.events) {
        if (!watches_.on_event(event.kind, event.path)) continue;
        if (event.kind == core::watch_kind::deleted && !missed) woken_.push_back(event.path);
        events_.push_back(core::watch_event{event.kind, event.path, number_});
    }
    seen_zxid_ = std::max(seen_zxid_, answer.zxid);
    for (const auto& event : answer.events)
        if (event.kind == core::watch_kind::deleted) changed_ = std::max(changed_, answer.zxid);
    if (!answer.tells_next) return;
    next_end_.reset();
    if (answer.until_next) next_end_ = agenda_.now() + *answer.until_next + k_behind_deadline;
}

void single_session::reply(const question& to, core::reply&& with) {
    const auto* request = std::get_if<asked>(&to);
    if (request == nullptr) return;
    with.id = request->request.id;
    with.sent = request->sent;
    with.connection = number_;
    events_.push_back(std::move(with));
}

// ---- requests that the session sends by itself ----------------------------------------------

instant single_session::next_due() const {
    const auto due = alive_from_ + scenario_.time.session_timeout / k_keep_alive_part;
    return next_end_ && watch_count() != 0 ? std::min(due, *next_end_) : due;
}

look single_session::what_is_due() const {
    const auto now = agenda_.now();
    const bool touch =
        is_redis() || now >= alive_from_ + scenario_.time.session_timeout / k_keep_alive_part;
    return {touch, next_end_ && now >= *next_end_};
}

void single_session::plan_look() {
    if (!attached_) return;
    const bool busy = !is_redis() && !under_way_.empty();  // true: the next answer plans the poll
    const auto first = watches_.owes() ? std::min(next_due(), give_back_at_) : next_due();
    const auto due = std::max(first, agenda_.now());
    if (busy || (look_planned_ && *look_planned_ <= due)) return;
    look_planned_ = due;
    agenda_.at(due, look_due{owner_, epoch_});
}

void single_session::look_if_due() {
    if (look_planned_ && *look_planned_ <= agenda_.now()) look_planned_.reset();
    const bool busy = !is_redis() && !under_way_.empty();
    give_back_if_due();
    if (attached_ && !busy && agenda_.now() >= next_due()) {
        const auto wanted = what_is_due();
        next_end_.reset();
        ask(wanted);
    }
    plan_look();
}

// The server has refused some removals of watches. Sends these removals again.
void single_session::give_back_if_due() {
    if (!attached_ || !watches_.owes() || agenda_.now() < give_back_at_) return;
    give_back_at_ = agenda_.now() + k_busy_pause;
    std::set<std::string> awaited;
    for (const auto& each : under_way_)
        if (const auto* request = std::get_if<asked>(&each.asks))
            if (const auto* path = local::watched_path(request->request.op)) awaited.insert(*path);
    for (auto& path : watches_.take_owed(awaited)) ask(drop_watch{std::move(path)});
}

void single_session::hear_bell(connection_id by) {
    if (connection_ != by || !attached_) return;
    ask(look{is_redis(), false});
}

// ---- the end of a connection ----------------------------------------------------------------

std::optional<instant> single_session::waits_since() const {
    return under_way_.empty() ? std::nullopt : std::optional{under_way_.front().at};
}

void single_session::lose_connection(core::outcome of_the_first) {
    const bool was_attached = attached_;
    drop_connection();
    connect_later();
    if (!was_attached) return;
    emit_link(core::link_kind::detached);
    watches_.forget_owed();
    auto how = of_the_first;
    std::deque<question> again;
    const auto leave = [&](const question& left, core::outcome outcome) {
        const auto* request = std::get_if<asked>(&left);
        if (request != nullptr && outcome == core::outcome::unknown &&
            core::changes_nodes(request->request.op))
            has_unknown_change_ = true;
        if (const auto* drop = std::get_if<drop_watch>(&left)) give_back_later(*drop, again);
        core::reply open;
        open.outcome = outcome;
        reply(left, std::move(open));
    };
    for (const auto& each : std::exchange(under_way_, {}))
        leave(each.asks, std::exchange(how, core::outcome::unknown));
    for (const auto& each : std::exchange(waiting_, {})) leave(each, core::outcome::not_sent);
    waiting_ = std::move(again);
    next_end_.reset();
}

// SQL: the server keeps the watch until it executes the removal, so the removal waits for the next attach. Redis: the
// next attach does not set the watch again.
void single_session::give_back_later(const drop_watch& watch, std::deque<question>& later) {
    if (is_redis()) return watches_.forget_watches(watch.path);
    later.push_back(watch);  // place: watch_is_given_back_after_a_break
}

// Answers all open requests: the session has expired.
void single_session::lose_session() {
    if (is_redis()) drop_connection();  // an SQL session drops it in end()
    attached_ = false;
    dead_ = true;
    for (const auto& each : std::exchange(under_way_, {}))
        reply(each.asks, core::answered(core::server_error::session_expired));
    for (const auto& each : std::exchange(waiting_, {}))
        reply(each, core::answered(core::server_error::session_expired));
    emit_link(core::link_kind::expired);
}

void single_session::emit_link(core::link_kind kind) {
    core::link_event event;
    event.kind = kind;
    event.connection = number_;
    event.session_id = session_;
    event.timeout = scenario_.time.session_timeout;
    event.role = server_role::standalone;
    event.server = "server";
    events_.push_back(std::move(event));
}

void single_session::end(ending how) {
    if (ended_) return;
    ended_ = true;
    const bool own_end = dead_ && connection_;
    if (own_end || (how == ending::orderly && attached_))
        network_.to_server(*connection_, end_session{});
    if (how == ending::crashed && connection_ && dice_.chance(0.5)) network_.cut(*connection_);
    drop_connection();
}

}  // namespace turnstile::simulation
