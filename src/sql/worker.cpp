// SPDX-License-Identifier: Apache-2.0
#include "sql/worker.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/sha1.hpp"
#include "local/client_checks.hpp"
#include "sql/confirmation.hpp"
#include "sql/path_limit.hpp"

namespace turnstile::sql {
namespace {

using core::link_kind, core::outcome;

// Returns the error for a caller whose client has no session yet.
error error_of(const database_error& why) {
    switch (why.kind()) {
        case failure::refused: return {errc::auth_failed, why.what()};
        case failure::too_old: return {errc::server_too_old, why.what()};
        case failure::retry:
        case failure::row_held:
        case failure::lost:
        case failure::fatal: break;
    }
    return {errc::not_connected, why.what()};
}

// Returns the user's name with a digest of the user and the password, so that the tables contain no password.
local::identities identities_of(const std::string& credentials) {
    if (credentials.empty()) return {};
    return {credentials.substr(0, credentials.find(':')) + ":" +
            base::name_guid("5a0f0c52-6f3f-4d0b-8f55-0c5f1d7f2b61", credentials)};
}

}  // namespace

worker::worker(session_parts parts, core::session_settings settings, core::session_sink& sink)
    : db_{std::move(parts.db)},
      closing_{std::move(parts.closing)},
      failures_{std::move(parts.failures)},
      server_{std::move(parts.server)},
      guarded_{std::move(parts.guarded)},
      root_{std::move(parts.chroot)},
      clean_every_{parts.clean_containers_every},
      settings_{std::move(settings)},
      sink_{sink},
      store_{*db_,
             {std::chrono::duration_cast<std::chrono::milliseconds>(settings_.timeout),
              identities_of(settings_.credentials)}} {}

// ---- from other threads -------------------------------------------------------------------------

// `with_next`: another request follows at once. The thread is woken only for the last of the two.
void worker::submit(core::request&& request, bool with_next) {
    asked added{std::move(request), with_next};
    if (local::client_accepts(added.request.op)) {
        root_.to_server(added.request.op);
        added.answer = refusal_of_long_paths(added.request.op, db_->longest_path());
    } else {
        added.answer = core::answered(core::server_error::bad_arguments);
    }
    const base::lock_guard lock{mutex_};
    if (!added.answer && overtakes(added.request.op)) {
        // A confirmation is sent before the other tasks, and is not the request for which the last task waits. So the
        // last task need not wait any more.
        if (!tasks_.empty())
            if (auto* const last = std::get_if<asked>(&tasks_.back())) last->with_next = false;
        confirmations_.push_back(std::move(added));
    } else {
        tasks_.emplace_back(std::move(added));
    }
    if (!with_next) changed_.set();
}

void worker::forget_watches(const std::string& path) {
    const base::lock_guard lock{mutex_};
    tasks_.emplace_back(forgotten{root_.to_server(path)});
    changed_.set();
}

void worker::stop(bool orderly) noexcept {
    orderly_ = orderly;
    closing_->begun = true;
    closing_->closing.set();
    changed_.set();
}

// True if the confirmation may be sent before the waiting requests. A confirmation changes nothing, so the requests
// get the same answers. If a waiting request may change a znode that the confirmation checks, the confirmation waits.
bool worker::overtakes(const core::operation& op) const {
    return is_confirmation(op) &&
           std::none_of(tasks_.begin(), tasks_.end(), [&op](const task& waiting) {
               const auto* const ahead = std::get_if<asked>(&waiting);
               return ahead != nullptr && may_change_what_is_checked(ahead->request.op, op);
           });
}

std::optional<worker::batch> worker::take() {
    const base::lock_guard lock{mutex_};
    changed_.clear();
    if (!confirmations_.empty()) {
        std::vector<asked> oldest;
        oldest.push_back(std::move(confirmations_.front()));
        confirmations_.pop_front();
        return oldest;
    }
    if (tasks_.empty()) return std::nullopt;
    if (std::holds_alternative<forgotten>(tasks_.front())) return take_forgotten();
    std::vector<asked> taken = take_asked();
    if (taken.empty()) return std::nullopt;
    return taken;
}

std::vector<worker::asked> worker::take_asked() {
    std::vector<asked> taken;
    request_batch together;
    while (!tasks_.empty()) {
        auto* const next = std::get_if<asked>(&tasks_.front());
        if (next == nullptr || (next->with_next && tasks_.size() == 1)) break;
        const bool answered = next->answer.has_value();
        if (!taken.empty() && (answered || !together.takes(next->request.op, together_))) break;
        if (!answered) together.add(next->request.op);
        taken.push_back(std::move(*next));
        tasks_.pop_front();
        if (answered) break;
    }
    return taken;
}

std::vector<worker::forgotten> worker::take_forgotten() {
    std::vector<forgotten> taken;
    while (!tasks_.empty() && taken.size() < together_) {
        auto* const next = std::get_if<forgotten>(&tasks_.front());
        if (next == nullptr) break;
        taken.push_back(std::move(*next));
        tasks_.pop_front();
    }
    return taken;
}

// ---- the thread ---------------------------------------------------------------------------------

void worker::run() {
    while (!stopping()) {
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
        id_ = store_.id();
        closing_->has_session = true;
        const base::lock_guard lock{mutex_};
        servers_clock_ = store_.clock();
    } else if (!store_.resume()) {
        return expire();
    }
    touched_ = clock::now();
    // The guardian must know the session before the client uses it, to end it after a crash.
    if (guarded_) guarded_->begin(store_.id(), std::to_string(store_.own().attachment));
    db_->listen(store_.id());
    attached_ = true;
    ++connection_;
    failures_->clear();
    tell(link_kind::attached);
    if (settings_.detect_role) tell(link_kind::role_known);
    clean_at_ = clock::now() + clean_every_;
    repair();
    end_others();
    catch_up();
}

// Called when a statement after the attach has succeeded. A permanent fault (a revoked right, a missing table) lets
// each attach succeed and the next statement fail. So an attach alone must not shorten the pause before the next
// attempt, or let the log repeat the failure.
void worker::forget_failures() noexcept {
    retries_.reset();
    told_.clear();
}

void worker::give_back_watches() {
    while (!given_back_.empty()) {
        std::vector<std::string> paths;
        for (const forgotten& each : given_back_)
            if (paths.size() < together_) paths.push_back(each.path);
        deliver(store_.forget_watches(paths));
        for (const std::string& path : paths) {
            book_.forget_watches(path);
            given_back_.pop_front();
        }
    }
}

// Delivers the events of a new attachment before it removes watches. One snapshot has the events and the session's
// znodes (store::hear).
void worker::catch_up() {
    const heard news = store_.hear(store::touch::no, store::watch_list::asked);
    set_next_end(news.next_end);
    deliver(news.events);
    settle_watches(news.watches);
}

// Compares the client's watches with the database's. A server that continues from older data has lost watches, and has
// older ones again. A lost watch is reported as a change, so its waiter reads again and sets a new watch. A watch that
// the client does not know is removed, because otherwise it would exist for as long as the session.
void worker::settle_watches(const local::client_watch_list& standing) {
    const local::client_watch_list mine = book_.list();
    std::vector<queued_event> lost;
    const auto find_lost = [&lost](const auto& known, const auto& there, core::watch_kind kind) {
        for (const std::string& path : known)
            if (!there.contains(path)) lost.push_back({0, kind, path});
    };
    find_lost(mine.data, standing.data, core::watch_kind::changed);
    find_lost(mine.exists, standing.data, core::watch_kind::changed);
    find_lost(mine.children, standing.children, core::watch_kind::children);
    deliver(lost);
    for (const auto* const there : {&standing.data, &standing.children})
        for (const std::string& path : *there)
            if (!mine.data.contains(path) && !mine.exists.contains(path) &&
                !mine.children.contains(path))
                given_back_.push_back({path});
    give_back_watches();
}

void worker::serve() {
    while (!stopping() && !dead_) {
        if (clock::now() >= next_look()) look();
        if (dead_) return;
        std::optional<batch> next = take();
        if (next) {
            std::visit([this](auto&& each) { execute(std::move(each)); }, std::move(*next));
        } else {
            await_something();
        }
    }
}

void worker::lose(const database_error& why) {
    const bool in_commit = why.kind() == failure::lost && store_.commit_unknown();
    db_->disconnect();
    failures_->set(error_of(why));
    if (told_ != why.what() && !stopping()) {
        told_ = why.what();
        log::write(log_level::warning, "session {:#x}: {}", store_.id(), why.what());
    }
    together_ = 1;
    reply_answered();
    if (attached_) tell(link_kind::detached);
    attached_ = false;
    answer_under_way(in_commit);
    if (why.kind() == failure::refused && store_.id() == 0) {
        dead_ = true;
        tell(link_kind::auth_failed);
    }
    pause_ = retries_.draw(chance_);
}

// Answers the requests before the first unanswered request: the database executed them before the connection broke.
void worker::reply_answered() {
    const auto open = std::find_if(under_way_.begin(), under_way_.end(),
                                   [](const asked& each) { return !each.answer; });
    std::vector<asked> rest{std::make_move_iterator(open),
                            std::make_move_iterator(under_way_.end())};
    under_way_.erase(open, under_way_.end());
    reply_all();
    under_way_ = std::move(rest);
}

// Answers the requests in progress as `unknown` or `not_sent`, because the core accepts no other answer after the end
// of the connection. A write that was executed, or whose commit was in progress, counts as unknown.
void worker::answer_under_way(bool in_commit) {
    for (asked& each : under_way_) {
        const bool left = each.sent != core::time_point{};
        const bool in_doubt = each.answer ? core::is_write(each.request.op) : in_commit && left;
        each.answer.emplace().outcome = in_doubt ? outcome::unknown : outcome::not_sent;
    }
    reply_all();
}

void worker::await_retry() {
    const clock::time_point until = dead_ ? clock::time_point::max() : clock::now() + pause_;
    answer_waiting(outcome::not_sent);
    while (!stopping() && clock::now() < until) {
        const auto limit = std::min(until, clock::now() + std::chrono::hours{1});
        static_cast<void>(db_->wait(changed_.fd(), limit));
        answer_waiting(outcome::not_sent);
    }
}

// Answers the waiting requests. Removals of watches wait for the next attach: the database still has the watches.
void worker::answer_waiting(outcome how) {
    while (std::optional<batch> next = take()) {
        if (auto* const questions = std::get_if<std::vector<asked>>(&*next)) {
            for (asked& each : *questions) each.answer.emplace().outcome = how;
            under_way_ = std::move(*questions);
            reply_all();
        } else {
            for (forgotten& each : std::get<std::vector<forgotten>>(*next))
                given_back_.push_back(std::move(each));
        }
    }
}

void worker::expire() {
    dead_ = true;
    closing_->has_session = false;
    tell(link_kind::expired);
    attached_ = false;
    end_own();
    db_->disconnect();
}

void worker::leave() noexcept {
    if (attached_ && !dead_ && orderly_) {
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
        // close() also ends an unfinished transaction, which would keep its locks until the process ends.
        if (base::finish_or_end("the end of a session", [this] { return store_.close(); }) ==
            close_outcome::ended)
            ended = database::ended::yes;
    } catch (const std::exception& e) {
        log::write(log_level::info, "session {:#x}: not closed, ends with its time-out: {}",
                   store_.id(), e.what());
    }
    db_->withdraw(ended);
}

// ---- to the sink --------------------------------------------------------------------------------

void worker::deliver(core::coordinator_event&& event) noexcept {
    if (!stopping()) sink_.deliver(std::move(event));
}

void worker::tell(link_kind kind) {
    core::link_event event;
    event.kind = kind;
    event.connection = connection_;
    event.session_id = store_.id();
    event.timeout = settings_.timeout;
    event.role = core::server_role::standalone;
    event.server = server_;
    deliver(std::move(event));
}

void worker::reply(core::reply&& r, const asked& to) {
    r.id = to.request.id;
    r.sent = to.sent;
    r.connection = connection_;
    deliver(std::move(r));
}

void worker::reply_all() {
    for (const std::vector<asked> all = std::exchange(under_way_, {}); const asked& each : all) {
        deliver(each.events);
        core::reply answer = *each.answer;
        if (answer.outcome == outcome::answered) book_.on_reply(each.request.op, answer.error);
        root_.to_client(answer);
        reply(std::move(answer), each);
    }
}

void worker::deliver(const std::vector<queued_event>& events) {
    for (const queued_event& each : events)
        if (book_.on_event(each.kind, each.path))
            deliver(core::watch_event{each.kind, root_.to_client(each.path), connection_});
}

}  // namespace turnstile::sql
