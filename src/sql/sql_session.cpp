// SPDX-License-Identifier: Apache-2.0
#include "sql/sql_session.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/sha1.hpp"
#include "base/thread_name.hpp"
#include "support/signals.hpp"

namespace turnstile::sql {
namespace {

using core::link_kind;

// Returns the user's name with a digest of user and password, so that the tables contain no password.
local::identities identities_of(const std::string& credentials) {
    if (credentials.empty()) return {};
    return {credentials.substr(0, credentials.find(':')) + ":" +
            base::name_guid("5a0f0c52-6f3f-4d0b-8f55-0c5f1d7f2b61", credentials)};
}

}  // namespace

worker::worker(session_parts parts, core::session_settings settings, core::session_sink& sink)
    : db_{std::move(parts.db)},
      closing_{std::move(parts.closing)},
      guarded_{std::move(parts.guarded)},
      settings_{std::move(settings)},
      tasks_{local::chroot{parts.chroot}, db_->words().longest_path},
      outlet_{sink, local::chroot{parts.chroot}, std::move(parts.server), settings_.timeout},
      store_{*db_,
             {std::chrono::duration_cast<std::chrono::milliseconds>(settings_.timeout),
              identities_of(settings_.credentials)}},
      failures_{std::move(parts.failures)},
      schedule_{settings_.timeout, parts.container_interval},
      together_{settings_.timeout} {}

void worker::stop(bool orderly) noexcept {
    outlet_.close(orderly);
    closing_->begun = true;
    closing_->closing.set();
    tasks_.close();
}

void worker::run() {
    while (!outlet_.is_closed()) {
        try {
            if (dead_) {
                await_retry();
                continue;
            }
            attach();
            serve();
        } catch (const database_error& why) {
            lose(why);
            await_retry();
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& why) {
            lose({failure::lost, why.what()});  // a commit may be in progress
            await_retry();
        }
    }
    leave();
}

void worker::attach() {
    db_->connect();
    if (store_.id() == 0) {
        store_.open();
        opened_.set(store_.id(), store_.clock());
        closing_->has_session = true;
    } else if (!store_.resume()) {
        return expire();
    }
    schedule_.touched(clock::now());
    // The guardian, which ends the session after a crash, must know the session before the client uses it. Otherwise,
    // after a crash before the guardian knows the session, the session would last until its timeout.
    if (guarded_) guarded_->begin(store_.id(), std::to_string(store_.own().attachment));
    db_->listen(store_.id());
    attached_ = true;
    outlet_.begin_connection();
    failures_.attached();
    outlet_.tell(link_kind::attached, store_.id());
    if (settings_.detect_role) outlet_.tell(link_kind::role_known, store_.id());
    schedule_.cleaned(clock::now());
    repair();
    end_others();
    catch_up();
}

void worker::give_back_watches() {
    while (!given_back_.empty()) {
        const auto end = given_back_.begin() + static_cast<std::ptrdiff_t>(
                                                   std::min(together_.most(), given_back_.size()));
        const std::vector<std::string> paths{given_back_.begin(), end};
        outlet_.deliver(store_.forget_watches(paths));
        for (const std::string& path : paths) {
            outlet_.forget_watches(path);
            given_back_.pop_front();
        }
    }
}

// Delivers the queued events after an attach, then compares the client's watches with the database's watches. The
// events and the database's watches come from one snapshot (store::hear). A database that was restored from older data
// lacks new watches, and may contain watches that were removed since.
// For a lost watch, the worker delivers the event of a change, so that the client reads again and sets a new watch. The
// worker removes a watch that the client does not know; otherwise the watch would exist as long as the session.
void worker::catch_up() {
    const heard news = store_.hear(store::touch::no, store::watch_list::asked);
    schedule_.set_next_end(news.next_end);
    outlet_.deliver(news.events);
    const local::client_watch_list& standing = news.watches;
    const local::client_watch_list mine = outlet_.watches();
    std::vector<queued_event> lost;
    const auto find_lost = [&lost](const auto& known, const auto& there, core::watch_kind kind) {
        for (const std::string& path : known)
            if (!there.contains(path)) lost.push_back({0, kind, path});
    };
    find_lost(mine.data, standing.data, core::watch_kind::changed);
    find_lost(mine.exists, standing.data, core::watch_kind::changed);
    find_lost(mine.children, standing.children, core::watch_kind::children);
    outlet_.deliver(lost);
    for (const auto* const there : {&standing.data, &standing.children})
        for (const std::string& path : *there)
            if (!mine.data.contains(path) && !mine.exists.contains(path) &&
                !mine.children.contains(path))
                given_back_.push_back(path);
    give_back_watches();
}

void worker::serve() {
    while (!outlet_.is_closed() && !dead_) {
        if (std::exchange(has_news_, false)) hear(store::touch::no);
        if (clock::now() >= schedule_.next(!outlet_.watches().empty())) look();
        if (dead_) return;
        if (schedule_.is_listening_due(clock::now())) await_news(tasks_.fd(), clock::now());
        if (auto next = tasks_.take(together_.most())) {
            std::visit([this](auto&& each) { execute(std::move(each)); }, *std::move(next));
        } else {
            await_news(tasks_.fd(), schedule_.next(!outlet_.watches().empty()));
        }
    }
}

void worker::lose(const database_error& why) {
    const bool in_commit = why.kind() == failure::lost && store_.commit_unknown();
    db_->disconnect();
    if (failures_.note(why, chance_) && !outlet_.is_closed())
        log::write(log_level::warning, "session {:#x}: {}", store_.id(), why.what());
    together_.failed();
    outlet_.reply(pending_.take_answered());
    if (attached_) outlet_.tell(link_kind::detached, store_.id());
    attached_ = false;
    pending_.break_off(in_commit);
    outlet_.reply(pending_.take_all());
    if (why.kind() == failure::refused && store_.id() == 0) {
        dead_ = true;
        outlet_.tell(link_kind::auth_failed, store_.id());
    }
}

void worker::await_retry() {
    const clock::time_point until =
        dead_ ? clock::time_point::max() : clock::now() + failures_.pause();
    answer_waiting();
    while (!outlet_.is_closed() && clock::now() < until) {
        const auto limit = std::min(until, clock::now() + std::chrono::hours{1});
        static_cast<void>(db_->wait(tasks_.fd(), limit));
        answer_waiting();
    }
}

// Answers the waiting requests with `not_sent`. Keeps the removals of watches for the next attach, because the database
// still has the watches.
void worker::answer_waiting() {
    while (auto next = tasks_.take(together_.most())) {
        if (auto* const questions = std::get_if<std::vector<submitted_request>>(&*next)) {
            for (submitted_request& each : *questions)
                each.answer.emplace().outcome = core::outcome::not_sent;
            outlet_.reply(*questions);
        } else {
            for (forgotten& each : std::get<std::vector<forgotten>>(*next))
                given_back_.push_back(std::move(each.path));
        }
    }
}

void worker::expire() {
    dead_ = true;
    closing_->has_session = false;
    outlet_.tell(link_kind::expired, store_.id());
    attached_ = false;
    end_own();
    db_->disconnect();
}

void worker::leave() noexcept {
    if (attached_ && !dead_ && outlet_.is_orderly()) {
        end_own();
    } else {
        db_->withdraw(database::ended::no);
    }
    if (guarded_) guarded_->end();
    db_->disconnect();
}

void worker::end_own() noexcept {
    auto ended = database::ended::no;
    try {
        // close() also ends an unfinished transaction, which would otherwise keep its locks until the process ends.
        if (base::finish_or_end("the end of a session", [this] { return store_.close(); }) ==
            close_outcome::ended)
            ended = database::ended::yes;
    } catch (const std::exception& e) {
        log::write(log_level::info,
                   "session {:#x} could not be closed, and expires after its timeout: {}",
                   store_.id(), e.what());
    }
    db_->withdraw(ended);
}

sql_session::sql_session(session_parts parts, const core::session_settings& settings,
                         core::session_sink& sink)
    : worker_{std::make_unique<worker>(std::move(parts), settings, sink)} {
    const support::block_signals none_here;
    thread_ = std::make_unique<std::thread>([this] {
        base::name_this_thread("turnstile-sql");
        base::finish_or_end("a session with a database", [this] { worker_->run(); });
    });
}

sql_session::~sql_session() {
    end(true);
    if (!forked()) return;
    static_cast<void>(thread_.release());  // the thread belongs to the parent process
    static_cast<void>(
        worker_.release());  // its mutexes may stay locked, and its connection is the parent's
}

void sql_session::submit(core::request&& request) {
    if (!forked()) worker_->submit(std::move(request), false);
}

void sql_session::submit_with_next(core::request&& request) {
    if (!forked()) worker_->submit(std::move(request), true);
}

void sql_session::forget_watches(const std::string& path) {
    if (!forked()) worker_->forget_watches(path);
}

core::session_identity sql_session::identity() const {
    return forked() ? core::session_identity{} : core::session_identity{worker_->id(), {}};
}

std::optional<core::clock_reading> sql_session::servers_clock() const {
    return forked() ? std::nullopt : worker_->servers_clock();
}

void sql_session::end(bool orderly) noexcept {
    if (forked() || ended_.exchange(true)) return;
    worker_->stop(orderly);
    thread_->join();
}

}  // namespace turnstile::sql
