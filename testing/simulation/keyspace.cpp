// SPDX-License-Identifier: Apache-2.0
#include "simulation/keyspace.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "local/client_watches.hpp"

namespace turnstile::simulation {

namespace {

using std::chrono::microseconds;

template <class Part>
bool has(const core::multi_op& op) {
    return std::any_of(op.parts.begin(), op.parts.end(), [](const core::multi_part& part) {
        return std::holds_alternative<Part>(part);
    });
}

// Returns true for requests that a server without free memory refuses: creates. Exception: a transaction that also
// removes znodes, because the removals free memory.
bool needs_memory(const core::operation& op) {
    const auto* multi = std::get_if<core::multi_op>(&op);
    if (multi == nullptr) return std::holds_alternative<core::create_op>(op);
    return has<core::create_op>(*multi) && !has<core::remove_op>(*multi);
}

bool is_watched(const core::operation& op) {
    return local::watched_path(op) != nullptr;
}

std::int64_t milliseconds(microseconds now) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

keyspace::keyspace(server_kind kind, core::duration timeout, local::tree&& first)
    : kind_{kind},
      timeout_{std::chrono::duration_cast<microseconds>(timeout)},
      tree_{std::move(first)} {}

command_outcome keyspace::carry_out(const command& wanted) {
    step now{wanted};
    if (is_redis()) {
        begin_history(now);  // each connection begins with an attach
    } else {
        raise_number(now);
    }
    if (is_redis()) end_due(now, 0);  // place: what_is_due_is_ended_first
    std::visit([&](const auto& request) { on(request, now); }, wanted.request);
    now.done.answer.zxid = tree_.zxid();
    return std::move(now.done);
}

// ---- sessions -------------------------------------------------------------------------------

void keyspace::next_number(const step& now) {
    for (int attempt = 1; attempt < now.wanted.attempts;
         ++attempt)  // rolled back attempts have used up their numbers
        tree_.advance_zxid(tree_.zxid() + 1);
    if (is_redis())  // place: numbers_follow_the_clock
        tree_.advance_zxid(std::max<std::int64_t>(tree_.zxid(), now.wanted.now.count() - 1));
}

bool keyspace::is_over(const connect_request& request, const step& now) const {
    const auto found = sessions_.find(request.session);
    return found == sessions_.end() || found->second.deadline <= now.wanted.now;
}

std::optional<microseconds> keyspace::time_left(session_id of, microseconds now) const {
    const auto found = sessions_.find(of);
    if (found == sessions_.end() || found->second.deadline <= now) return std::nullopt;
    return found->second.deadline - now;
}

void keyspace::open(step& now) {
    next_number(now);
    tree_.advance_sessions(tree_.zxid());
    const auto id = tree_.open_session();
    sessions_[id].deadline = now.wanted.now + timeout_;
    now.done.answer.session = id;
    now.done.connection = 1;
    now.done.touched = true;
}

// Begins a new history of the tree at the first command of a restarted or new server, which may have older data than
// the clients know. A history is a period without loss of data, identified by the number of its first transaction.
void keyspace::begin_history(const step& now) {
    if (server_ == now.wanted.server) return;
    server_ = now.wanted.server;
    const auto before = tree_.zxid();
    next_number(now);
    tree_.advance_zxid(tree_.zxid() + 1);
    histories_.push_back({tree_.zxid(), before});
}

// Raises the number of the next transaction to the server's clock, as MariaDB's back end does when a client connects. A
// restarted or new server raises the number at its first command.
void keyspace::raise_number(const step& now) {
    const bool connects = std::holds_alternative<connect_request>(now.wanted.request);
    if (!connects && server_ == now.wanted.server) return;
    server_ = now.wanted.server;
    tree_.advance_zxid(std::max<std::int64_t>(tree_.zxid(), now.wanted.now.count()));
}

// Returns true if the server has forgotten a change that the client knows.
bool keyspace::is_forgotten(const connect_request& request) const {
    bool known = false;
    for (const auto& each : histories_) {
        if (known && each.last_before < request.changed) return true;
        known = known || each.began == request.history;
    }
    return !known;
}

// Returns true if a znode exists that another client had removed. The session did not create it again, so the server
// lost the removal.
bool keyspace::one_stands_again(const connect_request& request) const {
    for (const auto& path : request.removed) {
        const auto* node = tree_.nodes().find(path);
        if (node && node->owner == request.session)  // place: removals_by_others_are_looked_at
            return true;
    }
    return false;
}

void keyspace::on(const connect_request& request, step& now) {
    if (is_redis()) now.done.answer.history = histories_.back().began;
    if (request.session == 0) {
        open(now);
        return tell_next(now);
    }
    if (is_over(request, now)) {
        now.done.answer.verdict = served::word::session_gone;
        return;
    }
    if (is_redis() && is_forgotten(request)) {  // place: histories_are_compared
        end(request.session, false, now);
        now.done.answer.verdict = served::word::session_gone;
        return;
    }
    bool older = false;
    const auto known = sessions_.at(request.session).changes;
    if (!is_redis() && known < request.changes)  // place: changes_are_compared
        older = true;
    if (!is_redis() && known == request.changes && one_stands_again(request)) older = true;
    if (older) {
        end(request.session, false, now);
        now.done.answer.verdict = served::word::session_gone;
        return;
    }
    auto& mine = sessions_[request.session];
    if (!is_redis()) now.done.answer.changes = mine.changes;
    now.done.connection = ++mine.connection;
    now.done.touched = true;
    now.done.answer.session = request.session;
    mine.deadline = now.wanted.now + timeout_;
    if (is_redis()) {
        tree_.drop_watches(request.session);
        now.done.answer.events =
            tree_.restore_watches(request.session, request.watches, request.seen_zxid);
        now.done.answer.missed = true;
        mine.events.clear();
    } else {
        const auto unheard = mine.fetched_in_all - std::min(mine.fetched_in_all, request.heard);
        const auto lost = std::min<std::uint64_t>(unheard, mine.fetched.size());
        mine.events.insert(mine.events.begin(),
                           mine.fetched.end() - static_cast<std::ptrdiff_t>(lost),
                           mine.fetched.end());
        mine.fetched.clear();
        mine.fetched_in_all = request.heard;
    }
    tell_next(now);
}

bool keyspace::touch(step& now) {
    const auto found = sessions_.find(now.wanted.session);
    auto& answer = now.done.answer;
    if (found == sessions_.end()) {
        answer.verdict = served::word::session_gone;
        return false;
    }
    if (found->second.connection != now.wanted.connection) {  // place: attach_ends_what_came_before
        answer.verdict = served::word::session_moved;
        return false;
    }
    if (found->second.deadline <= now.wanted.now) {
        answer.verdict = served::word::session_gone;
        return false;
    }
    found->second.deadline = now.wanted.now + timeout_;  // place: deadline_moves
    now.done.touched = true;
    return true;
}

bool keyspace::stands(step& now) const {
    if (sessions_.contains(now.wanted.session)) return true;
    now.done.answer.verdict = served::word::session_gone;
    return false;
}

// Returns true if the session has attached again since the request. The server then refuses the request, because the
// client would not know a watch that the request sets now.
bool keyspace::has_moved(step& now) const {
    const auto& mine = sessions_.at(now.wanted.session);
    const bool moved = mine.connection != now.wanted.connection;
    if (moved) now.done.answer.verdict = served::word::session_moved;
    return moved;
}

void keyspace::end_due(step& now, session_id except) {
    std::vector<std::pair<microseconds, session_id>> due;
    for (const auto& [id, each] : sessions_)
        if (id != except && each.deadline <= now.wanted.now) due.emplace_back(each.deadline, id);
    std::sort(due.begin(), due.end());
    for (const auto& [deadline, id] : due) end(id, true, now);
}

void keyspace::end(session_id which, bool due, step& now) {
    next_number(now);
    ended_session gone{which, {}, tree_.zxid() + 1, due};
    for (const auto& path : tree_.nodes().ephemerals_of(which)) gone.paths.push_back(path);
    sessions_.erase(which);
    tell(tree_.close_session(which), now);
    now.done.ended.push_back(std::move(gone));
}

// ---- events ---------------------------------------------------------------------------------

void keyspace::tell(std::vector<local::fired_watch>&& events, step& now) {
    for (auto& event : events) {
        const auto found = sessions_.find(event.session);
        if (found == sessions_.end()) continue;
        const bool first = found->second.events.empty();
        // Redis sends no second wake-up while the session's list of events is not empty.
        if (event.session != now.wanted.session && (first || !is_redis()))
            now.done.told.push_back(event.session);
        found->second.events.push_back(std::move(event));
    }
}

void keyspace::fetch(step& now) {
    const auto found = sessions_.find(now.wanted.session);
    if (found == sessions_.end()) return;
    auto& mine = found->second;
    if (mine.connection != now.wanted.connection) return;  // the session has left this connection
    now.done.answer.events = std::exchange(mine.events, {});
    if (is_redis()) return;
    now.done.answer.changes = mine.changes;
    now.done.answer.removed = mine.removed;
    // A session has one request in progress at a time. So the client has the previous answer, and only the events of
    // this answer can still be lost.
    mine.fetched = now.done.answer.events;
    mine.fetched_in_all += mine.fetched.size();
}

void keyspace::tell_next(step& now) const {
    auto& answer = now.done.answer;
    answer.tells_next = true;
    std::optional<microseconds> first;
    for (const auto& [id, other] : sessions_)
        if (id != now.wanted.session && id != answer.session)
            first = std::min(first.value_or(other.deadline), other.deadline);
    if (first) answer.until_next = std::max(microseconds{}, *first - now.wanted.now);
}

// ---- requests -------------------------------------------------------------------------------

void keyspace::on(const core::operation& op, step& now) {
    const bool write = core::is_write(op);
    if (!is_redis() && std::holds_alternative<core::children_op>(op))
        end_due(now, now.wanted.session);
    if (!(is_redis() || write ? touch(now) : stands(now))) return;
    if (!is_redis() && is_watched(op) && has_moved(now)) return;
    if (write && now.wanted.full && needs_memory(op)) {
        now.done.answer.reply = core::answered(core::server_error::quota_exceeded);
        return fetch(now);
    }
    if (write) next_number(now);
    if (core::changes_nodes(op)) {
        auto& mine = sessions_.at(now.wanted.session);
        ++mine.changes;
        mine.removed.clear();
    }
    auto removed = to_be_removed(op, now.wanted.session);
    auto done = tree_.apply(now.wanted.session, op, milliseconds(now.wanted.now));
    now.done.zxid = tree_.zxid();
    now.done.answer.reply = std::move(done.reply);
    tell_owners(std::move(removed), *now.done.answer.reply);
    tell(std::move(done.events), now);
    fetch(now);
    if (is_redis() || is_watched(op)) tell_next(now);
}

std::vector<keyspace::owned_path> keyspace::to_be_removed(const core::operation& op,
                                                          session_id by) const {
    std::vector<owned_path> removed;
    const auto look = [&](const auto& part) {
        using part_type = std::decay_t<decltype(part)>;
        if constexpr (std::is_same_v<part_type, core::remove_op>)
            if (const auto* node = tree_.nodes().find(part.path); node && node->owner != by)
                removed.push_back({node->owner, part.path});
    };
    std::visit(look, op);
    if (const auto* multi = std::get_if<core::multi_op>(&op))
        for (const auto& part : multi->parts) std::visit(look, part);
    return removed;
}

void keyspace::tell_owners(std::vector<owned_path>&& of, const core::reply& answer) {
    if (answer.error != core::server_error::ok) return;
    for (auto& each : of) {
        const auto found = sessions_.find(each.owner);
        if (found != sessions_.end()) found->second.removed.insert(std::move(each.path));
    }
}

void keyspace::on(const drop_watch& request, step& now) {
    if (!(is_redis() ? touch(now) : stands(now) && !has_moved(now))) return;
    tree_.forget_watches(now.wanted.session, request.path);
    fetch(now);
    if (is_redis()) tell_next(now);
}

// SQL: a waiting session ends other expired sessions, each in a separate transaction, and never itself.
void keyspace::on(const look& request, step& now) {
    if (is_redis()) {
        if (now.wanted.session != 0 && !touch(now)) return;
    } else {
        if (request.touch && !touch(now)) return;
        if (request.end_others) end_due(now, now.wanted.session);
        if (request.tells_watches) now.done.answer.watches = tree_.watches_of(now.wanted.session);
    }
    fetch(now);
    tell_next(now);
}

void keyspace::on(const end_session& /*request*/, step& now) {
    const auto found = sessions_.find(now.wanted.session);
    if (found != sessions_.end() && found->second.connection == now.wanted.connection)
        end(now.wanted.session, false, now);
}

// ---- actions of operators -------------------------------------------------------------------

void keyspace::on(const command::by_hand& request, step& now) {
    next_number(now);
    auto removed = to_be_removed(request.op, request.administrator);
    auto done = tree_.apply(request.administrator, request.op, milliseconds(now.wanted.now));
    now.done.zxid = tree_.zxid();
    now.done.answer.reply = std::move(done.reply);
    tell_owners(std::move(removed), *now.done.answer.reply);
    tell(std::move(done.events), now);
}

void keyspace::on(const command::close_by_hand& request, step& now) {
    if (sessions_.contains(request.session)) end(request.session, false, now);
}

void keyspace::on(const command::reap& /*request*/, step& now) {
    next_number(now);
    tell(tree_.reap(), now);
}

}  // namespace turnstile::simulation
