// SPDX-License-Identifier: Apache-2.0
// The part of class `worker` that executes requests and checks for ended sessions, while the session is attached.
#include <algorithm>
#include <array>
#include <utility>

#include "base/duration_text.hpp"
#include "base/log.hpp"
#include "sql/sql_session.hpp"

namespace turnstile::sql {
namespace {

using core::server_error;

// The first transaction executes a batch. A second transaction reads the lists of children that could not be read
// together with writes.
constexpr int k_most_rounds = 2;

// A request waits for a row that a user's own transaction has locked, but at most for the session timeout
// divided by this number.
constexpr int k_patience_part = 20;

}  // namespace

// ---- requests -----------------------------------------------------------------------------------

void worker::execute(std::vector<submitted_request>&& questions) {
    pending_.begin(std::move(questions));
    bool expired = false;
    for (int round = 0; round != k_most_rounds && !expired; ++round) {
        const auto open = pending_.unanswered();
        if (open.empty()) break;
        outlet_.deliver(pending_.take_events());
        carry_out(open);
        expired = std::any_of(open.begin(), open.end(), [](const submitted_request* each) {
            return each->answer && each->answer->error == server_error::session_expired;
        });
    }
    outlet_.reply(pending_.take_all());
    if (expired) expire();
}

// If the common transaction fails, one request may be the reason. So each request then gets a separate transaction.
void worker::carry_out(std::span<submitted_request* const> all) {
    if (all.size() == 1) return carry_out_one(*all.front());
    try {
        return apply(all);
    } catch (const database_error& e) {
        if (e.kind() == failure::lost) throw;
    }
    together_.failed();
    for (submitted_request* const each : all) each->sent = {};
    for (submitted_request* const each : all) carry_out_one(*each);
}

// A znode whose row a user's own transaction has locked cannot be removed before that transaction ends. The request
// waits only for a short time, because the session's other requests wait meanwhile, and the client needs their replies
// to keep its locks. Then the worker refuses the request, and the core sends it again after the other requests.
void worker::carry_out_one(submitted_request& question) {
    const std::array<submitted_request*, 1> all{&question};
    base::back_off looks = looks_for_a_row();
    const auto until = clock::now() + settings_.timeout / k_patience_part;
    for (;;) {
        try {
            return apply(all);
        } catch (const database_error& e) {
            if (e.kind() != failure::row_held) throw;
        }
        if (clock::now() >= until) {
            question.answer = core::answered(server_error::throttled);
            return;
        }
        await_news(closing_->closing.fd(), std::min(until, clock::now() + looks.draw(chance_)));
        if (outlet_.is_closed()) throw database_error{failure::lost, "the session is being closed"};
    }
}

// The client's lease, the time for which it relies on the session, begins at `sent`. The database computes the
// session's deadline later, from its own clock. So the session cannot expire before the lease, however long the
// requests have waited here.
void worker::apply(std::span<submitted_request* const> all) {
    const clock::time_point sent = clock::now();
    std::vector<const core::operation*> wanted;
    for (submitted_request* const each : all) {
        each->sent = sent;
        wanted.push_back(&each->request.op);
    }
    carried_out done = store_.apply(wanted);
    failures_.forget();
    together_.took(clock::now() - sent);
    for (queued_event& each : done.events) all[each.ahead_of]->events.push_back(std::move(each));
    if (done.next_end) schedule_.set_next_end(done.next_end);
    if (!done.expired && core::is_write(all.front()->request.op)) schedule_.touched(sent);
    for (std::size_t i = 0; i < all.size(); ++i) all[i]->answer = std::move(done.replies[i]);
}

void worker::execute(std::vector<forgotten>&& paths) {
    for (forgotten& each : paths) given_back_.push_back(std::move(each.path));
    give_back_watches();
}

// ---- checks for ended sessions ------------------------------------------------------------------

void worker::look() {
    if (schedule_.is_touch_due(clock::now())) {
        hear(store::touch::yes);
        if (dead_) return;
    }
    if (schedule_.is_clean_due(clock::now())) clean();
    if (dead_ || outlet_.watches().empty() || !schedule_.take_look(clock::now())) return;
    end_others();
    hear(store::touch::no);
}

// Called at regular times, even if the session is never idle: a session that always writes must also remove empty
// container znodes.
void worker::clean() {
    if (guarded_) guarded_->check();
    schedule_.cleaned(clock::now());
    if (!store_.has_turn_to_clean(schedule_.container_interval())) return;
    store_.clean_containers();
    if (!repair()) return;
    end_others();
    hear(store::touch::no);
}

// Returns true if the repair has added rows for sessions. Each row expires after this session's timeout.
bool worker::repair() {
    const repaired found = store_.repair();
    if (found.sessions > 0)
        log::write(
            log_level::warning,
            "session {:#x}: another program deleted rows of turnstile_sessions without the rows of "
            "their nodes (sessions: {}); these sessions end in {}",
            store_.id(), found.sessions, base::duration_text(settings_.timeout));
    if (found.root)
        log::write(
            log_level::warning,
            "session {:#x}: another program deleted the root from turnstile_nodes; this client "
            "created the root again",
            store_.id());
    return found.sessions > 0;
}

void worker::end_others() {
    const auto outcome = store_.end_others();
    schedule_.looked(outcome == ends_of_others::held, chance_);
    if (outcome == ends_of_others::some_left) schedule_.look_again();
}

void worker::hear(store::touch how) {
    const clock::time_point before = clock::now();
    const heard news = store_.hear(how);
    if (how == store::touch::yes) {
        failures_.forget();
        schedule_.touched(before);
    }
    schedule_.set_next_end(news.next_end);
    outlet_.deliver(news.events);
    if (news.expired) expire();
}

// Waits as database::wait() does. After the end of another process, this session also fetches its own events: the other
// process may have committed changes without waking this session.
void worker::await_news(int caller, clock::time_point until) {
    schedule_.listened(clock::now());
    switch (db_->wait(caller, until)) {
        case database::woken::by_time:
        case database::woken::by_caller: return;
        case database::woken::by_departure: schedule_.process_departed(); [[fallthrough]];
        case database::woken::by_bell: has_news_ = true;
    }
}

}  // namespace turnstile::sql
