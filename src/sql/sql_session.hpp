// SPDX-License-Identifier: Apache-2.0
// sql_session: implements the coordinator's session with a store, and with a thread that executes the requests in
// order.
//
// | state     | entered when                                  | requests are                                       |
// |-----------|-----------------------------------------------|----------------------------------------------------|
// | detached  | at first, and when the connection breaks      | answered `not_sent`                                |
// | attached  | the session was opened or resumed             | executed, one transaction for each batch           |
// | dead      | the database has ended the session            | answered `not_sent`                                |
//
// The thread delivers replies and events in the order of the transactions. The events that a transaction has fetched
// come before its replies. If the connection breaks during a commit, the thread first delivers the event `detached`,
// and then the reply `unknown`. If the connection breaks before the commit, the reply is `not_sent`, because the
// database rolls back. After `detached`, no reply of that connection is `answered`.
//
// An idle thread waits for a bell, the message that wakes it. After a third of the session timeout, it wakes to extend
// the session. If the session watches a znode, it also wakes at the earliest deadline of another session, to end that
// session.
//
// After fork(), the child's copies of the sessions do nothing, and their destructors free nothing.
//
//     worker              the work of the session's thread (also worker_tasks.cpp)
//     database_failures   the reason of a loss, and the wait before the next connect; one thread
//     opened_facts        the id and the server's clock of an opened session
//
// Thread safety: all members from any thread. Exception: the sink, the core's object that receives the replies and
// events, must not call `close`.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/back_off.hpp"
#include "base/latest_failure.hpp"
#include "base/mutex.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "core/seam/coordinator.hpp"
#include "guardian/module_notice.hpp"
#include "sql/database.hpp"
#include "sql/executing_batch.hpp"
#include "sql/look_schedule.hpp"
#include "sql/patience.hpp"
#include "sql/request_batch.hpp"
#include "sql/store.hpp"
#include "sql/task_queue.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::sql {

struct session_parts {
    std::unique_ptr<database> db;
    std::shared_ptr<closing_signal> closing;
    std::shared_ptr<base::latest_failure> failures;
    std::string server;  // the server's name, for messages
    std::string chroot;
    std::chrono::microseconds container_interval{};
    std::optional<guardian::module_notice> guarded{};
};

// The id and the server's clock of an opened session. Thread safety: all members from any thread.
class opened_facts {
public:
    void set(session_id id, const std::optional<core::clock_reading>& clock) {
        const base::lock_guard lock{mutex_};
        id_ = id;
        clock_ = clock;
    }
    [[nodiscard]] session_id id() const {
        const base::lock_guard lock{mutex_};
        return id_;
    }
    [[nodiscard]] std::optional<core::clock_reading> clock() const {
        const base::lock_guard lock{mutex_};
        return clock_;
    }

private:
    mutable base::mutex mutex_;
    session_id id_ GUARDED_BY(mutex_) = 0;
    std::optional<core::clock_reading> clock_ GUARDED_BY(mutex_);
};

// Records why a session has lost its database, and chooses the pause before the next connection attempt.
//
// Thread safety: one thread. The object that callers read (latest_failure.hpp) is safe from any thread.
class database_failures {
public:
    explicit database_failures(std::shared_ptr<base::latest_failure> known)
        : known_{std::move(known)} {}

    // Records a failure. Returns true if the caller must log it, because the message differs from the last logged
    // message.
    [[nodiscard]] bool note(const database_error& why, base::random& chance) {
        known_->set(error_of(why));
        pause_ = retries_.draw(chance);
        if (why.kind() == failure::fatal) kept_until_ = boottime_clock::now() + k_kept;
        return std::exchange(told_, why.what()) != why.what();
    }
    void attached() { known_->clear(); }
    // Resets the pause and the last logged message. Call this only when a statement after the attach has succeeded:
    // after a permanent fault (a revoked right, a missing table), each attach succeeds and the next statement fails.
    // Does nothing in the first seconds after a permanent fault, because statements that do not meet the fault may
    // succeed between two attaches.
    void forget() noexcept {
        if (boottime_clock::now() < kept_until_) return;
        retries_.reset();
        told_.clear();
    }
    [[nodiscard]] base::back_off::duration pause() const noexcept { return pause_; }

private:
    static constexpr std::chrono::seconds k_kept{10};

    // Returns the error for a caller whose client has no session yet.
    [[nodiscard]] static error error_of(const database_error& why) {
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

    const std::shared_ptr<base::latest_failure> known_;
    base::back_off::duration pause_{};
    base::back_off retries_ = base::back_off::of_reconnects();
    boottime_clock::time_point kept_until_{};
    std::string told_;
};

// The work of a session's thread.
//
// Thread safety: `submit`, `forget_watches`, `id` and `stop` from any thread; the session's thread calls `run`.
class worker {
public:
    worker(session_parts parts, core::session_settings settings, core::session_sink& sink);

    void submit(core::request&& request, bool with_next) {
        tasks_.submit(std::move(request), with_next);
    }
    void forget_watches(const std::string& path) { tasks_.forget_watches(path); }
    [[nodiscard]] session_id id() const { return opened_.id(); }
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const {
        return opened_.clock();
    }
    // Makes `run` return soon, and prevents new deliveries. If `orderly`, `run` tries to remove the session from the
    // database.
    void stop(bool orderly) noexcept;
    void run();

private:
    using clock = boottime_clock;

    // ---- functions that connect the session (sql_session.cpp) ----
    void attach();
    void serve();
    void lose(const database_error& why);
    void await_retry();
    void answer_waiting();
    void give_back_watches();
    void catch_up();
    void expire();
    void leave() noexcept;
    void end_own() noexcept;

    // ---- functions that run while the session is attached (worker_tasks.cpp) ----
    void execute(std::vector<submitted_request>&& questions);
    void execute(std::vector<forgotten>&& paths);
    void carry_out(std::span<submitted_request* const> all);
    void carry_out_one(submitted_request& question);
    void apply(std::span<submitted_request* const> all);
    void look();
    void clean();
    bool repair();
    void hear(store::touch how);
    void end_others();
    void await_news(int caller, clock::time_point until);

    const std::unique_ptr<database> db_;
    const std::shared_ptr<closing_signal> closing_;
    std::optional<guardian::module_notice> guarded_;
    const core::session_settings settings_;
    task_queue tasks_;
    opened_facts opened_;
    session_outlet outlet_;

    // Only the session's thread uses the following members.
    store store_;
    database_failures failures_;
    look_schedule schedule_;
    executing_batch pending_;
    std::deque<std::string> given_back_;  // paths of watches to be removed at the database
    batch_size together_;
    bool attached_ = false;
    bool dead_ = false;
    bool has_news_ = false;  // a bell has rung, and the session has not fetched its events since
    base::random chance_ = base::random::from_system();
};

class sql_session final : public core::coordinator_session {
public:
    // Throws std::system_error if there is no thread or descriptor left.
    sql_session(session_parts parts, const core::session_settings& settings,
                core::session_sink& sink);
    ~sql_session() override;
    sql_session(const sql_session&) = delete;
    sql_session& operator=(const sql_session&) = delete;

    void submit(core::request&& request) override;
    void submit_with_next(core::request&& request) override;
    void forget_watches(const std::string& path) override;
    [[nodiscard]] core::session_identity identity() const override;
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const override;
    void close() noexcept override { end(true); }
    void abandon() noexcept override { end(false); }

private:
    [[nodiscard]] bool forked() const noexcept { return process_.forked(); }
    void end(bool orderly) noexcept;

    const base::process_mark process_;
    std::unique_ptr<worker> worker_;
    std::atomic<bool> ended_{false};
    std::unique_ptr<std::thread> thread_;
};

}  // namespace turnstile::sql
