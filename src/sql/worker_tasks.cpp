// SPDX-License-Identifier: Apache-2.0
// The part of worker that executes requests and looks for other sessions' ends while the session is attached.
#include <algorithm>
#include <array>
#include <utility>

#include "base/log.hpp"
#include "sql/worker.hpp"

namespace turnstile::sql {
namespace {

using core::server_error;

// The largest number of looks for a process that has closed its session's file: such a process may still have the lock
// for a moment.
constexpr int k_looks = 7;

// The worker executes the requests of a batch in one transaction. A second transaction reads the lists that could not
// be read together with writes.
constexpr int k_most_rounds = 2;

// A request waits for a row that a user's transaction has locked for at most this fraction of the session timeout.
constexpr int k_patience_part = 20;

}  // namespace

// ---- requests -----------------------------------------------------------------------------------

// Executes a batch. Lists that cannot be read together with writes are read after the writes. The replies are delivered
// in the order of submission.
void worker::execute(std::vector<asked>&& questions) {
    under_way_ = std::move(questions);
    bool expired = false;
    for (int round = 0; round != k_most_rounds && !expired; ++round) {
        std::vector<asked*> open;
        for (asked& each : under_way_)
            if (!each.answer) open.push_back(&each);
        if (open.empty()) break;
        for (asked& each : under_way_) deliver(std::exchange(each.events, {}));
        carry_out(open);
        expired = std::any_of(open.begin(), open.end(), [](const asked* each) {
            return each->answer && each->answer->error == server_error::session_expired;
        });
    }
    reply_all();
    if (expired) expire();
}

// If a transaction fails, one request may be the reason. So then each request is executed in a separate transaction.
void worker::carry_out(std::span<asked* const> all) {
    if (all.size() == 1) return carry_out_one(*all.front());
    try {
        return take_answers(all, apply(all));
    } catch (const database_error& e) {
        if (e.kind() == failure::lost) throw;
    }
    together_ = 1;
    for (asked* const each : all) each->sent = {};
    for (asked* const each : all) carry_out_one(*each);
}

// A znode whose row a user's transaction holds can be removed only after that transaction has ended. The request waits,
// but not for long, because the session's other requests wait meanwhile and holds depend on them. Then the worker
// refuses this request, and the core sends it again after the other requests.
void worker::carry_out_one(asked& question) {
    const std::array<asked*, 1> all{&question};
    base::back_off looks = looks_for_a_row();
    const auto until = clock::now() + settings_.timeout / k_patience_part;
    for (;;) {
        try {
            return take_answers(all, apply(all));
        } catch (const database_error& e) {
            if (e.kind() != failure::row_held) throw;
        }
        if (clock::now() >= until) {
            question.answer = core::answered(server_error::throttled);
            return;
        }
        static_cast<void>(
            db_->wait(closing_->closing.fd(), std::min(until, clock::now() + looks.draw(chance_))));
        if (stopping()) throw database_error{failure::lost, "the session is being closed"};
    }
}

// The lease counts from `sent`. The database reads its clock for the session's deadline after that instant. So the
// deadline is not before the lease's end, however long the requests have waited here.
carried_out worker::apply(std::span<asked* const> all) {
    const clock::time_point sent = clock::now();
    std::vector<const core::operation*> wanted;
    for (asked* const each : all) {
        each->sent = sent;
        wanted.push_back(&each->request.op);
    }
    return store_.apply(wanted);
}

void worker::take_answers(std::span<asked* const> all, carried_out&& done) {
    forget_failures();
    together_ = std::min(2 * together_, k_most_together);
    for (queued_event& each : done.events) all[each.ahead_of]->events.push_back(std::move(each));
    if (done.next_end) set_next_end(done.next_end);
    if (!done.expired && core::is_write(all.front()->request.op)) touched_ = all.front()->sent;
    for (std::size_t i = 0; i < all.size(); ++i) all[i]->answer = std::move(done.replies[i]);
}

void worker::execute(std::vector<forgotten>&& paths) {
    for (forgotten& each : paths) given_back_.push_back(std::move(each));
    give_back_watches();
}

// ---- looks for ended sessions -------------------------------------------------------------------

worker::clock::time_point worker::next_look() const {
    clock::time_point next = std::min(touched_ + settings_.timeout / 3, clean_at_);
    if (book_.list().empty()) return next;
    if (next_end_) next = std::min(next, std::max(*next_end_, looked_ + held_pause_));
    if (looks_ > 0) next = std::min(next, looked_ + k_first_look * (1 << (k_looks - looks_)));
    return next;
}

void worker::look() {
    if (clock::now() >= touched_ + settings_.timeout / 3) {
        hear(store::touch::yes);
        if (dead_) return;
    }
    if (clock::now() >= clean_at_) clean();
    if (dead_) return;
    const bool due = next_end_ && clock::now() >= *next_end_;
    if (book_.list().empty() || (!due && looks_ == 0)) return;
    if (looks_ > 0) --looks_;
    end_others();
    hear(store::touch::no);
}

// Called at regular times, and not only when the session is idle: a session that writes all the time must also clean
// up.
void worker::clean() {
    if (guarded_) guarded_->check();
    clean_at_ = clock::now() + clean_every_;
    if (!store_.has_turn_to_clean(clean_every_)) return;
    store_.clean_containers();
    if (!repair()) return;
    end_others();
    hear(store::touch::no);
}

// Returns true if the repair has found sessions that will be due.
bool worker::repair() {
    const repaired found = store_.repair();
    if (found.sessions > 0)
        log::write(
            log_level::warning,
            "session {:#x}: the rows of {} sessions were deleted from turnstile_sessions, and "
            "their nodes were not; they end in {} ms",
            store_.id(), found.sessions,
            std::chrono::duration_cast<std::chrono::milliseconds>(settings_.timeout).count());
    if (found.root)
        log::write(log_level::warning,
                   "session {:#x}: the root was deleted from turnstile_nodes; it is created again",
                   store_.id());
    return found.sessions > 0;
}

// Ends sessions that are due. If one could not be ended, it is still due: the next look comes soon, and later looks at
// growing intervals.
void worker::end_others() {
    const auto outcome = store_.end_others();
    if (outcome != ends_of_others::held) held_looks_.reset();
    if (outcome == ends_of_others::some_left) looks_ = std::max(looks_, 1);
    held_pause_ = held_looks_.draw(chance_);
    looked_ = clock::now();
}

void worker::hear(store::touch how) {
    const clock::time_point before = clock::now();
    const heard news = store_.hear(how);
    if (how == store::touch::yes) forget_failures();
    if (how == store::touch::yes) touched_ = before;
    set_next_end(news.next_end);
    deliver(news.events);
    if (news.expired) expire();
}

void worker::set_next_end(const std::optional<std::chrono::microseconds>& left) {
    next_end_.reset();
    if (left) next_end_ = clock::now() + *left;
}

void worker::await_something() {
    switch (db_->wait(changed_.fd(), next_look())) {
        case database::woken::by_time:
        case database::woken::by_caller: return;
        // A process that died may have committed changes without ringing the bells for them.
        case database::woken::by_departure:
            looks_ = k_looks;
            looked_ = {};
            return hear(store::touch::no);
        case database::woken::by_bell: return hear(store::touch::no);
    }
}

}  // namespace turnstile::sql
