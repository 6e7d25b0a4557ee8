// SPDX-License-Identifier: Apache-2.0
// worker: does the work of a session's thread (session.hpp).
//
// Thread safety: `submit`, `forget_watches`, `id` and `stop` from any thread; the session's thread calls `run`.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/back_off.hpp"
#include "base/latest_failure.hpp"
#include "base/mutex.hpp"
#include "base/random.hpp"
#include "base/wake_up.hpp"
#include "core/seam/coordinator.hpp"
#include "guardian/guarded_session.hpp"
#include "local/chroot.hpp"
#include "local/client_watches.hpp"
#include "sql/closing_signal.hpp"
#include "sql/database.hpp"
#include "sql/request_batch.hpp"
#include "sql/store.hpp"

namespace turnstile::sql {

struct session_parts {
    std::unique_ptr<database> db;
    std::shared_ptr<closing_signal> closing;
    std::shared_ptr<base::latest_failure> failures;
    std::string server;  // the server's name, for messages
    std::string chroot;
    std::chrono::microseconds clean_containers_every{};
    std::optional<guardian::guarded_session> guarded{};
};

class worker {
public:
    worker(session_parts parts, core::session_settings settings, core::session_sink& sink);

    void submit(core::request&& request, bool with_next) EXCLUDES(mutex_);
    void forget_watches(const std::string& path) EXCLUDES(mutex_);
    [[nodiscard]] session_id id() const noexcept { return id_.load(); }
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() EXCLUDES(mutex_) {
        const base::lock_guard lock{mutex_};
        return servers_clock_;
    }
    // Makes `run` end soon, and lets no new delivery begin. If `orderly`, ends the session at the database, if the
    // database answers.
    void stop(bool orderly) noexcept;
    void run();

private:
    // A request. Its paths are the database's paths: they include the chroot.
    struct asked {
        core::request request;
        bool with_next = false;               // another request follows at once
        std::optional<core::reply> answer{};  // the database was not needed, or has committed
        std::vector<queued_event> events{};   // events that come before the answer
        core::time_point sent{};              // the time just before its first statement
    };
    struct forgotten {
        std::string path;
    };
    using task = std::variant<asked, forgotten>;
    // Requests, or removals of watches, that share a transaction.
    using batch = std::variant<std::vector<asked>, std::vector<forgotten>>;
    using clock = boottime_clock;
    static constexpr std::chrono::milliseconds k_first_look{1};
    // The pauses between two attempts to lock a row that a user's transaction has locked.
    [[nodiscard]] static base::back_off looks_for_a_row() noexcept {
        return {k_first_look, std::chrono::milliseconds{200}};
    }

    // ---- connecting (worker.cpp) ----
    void attach();
    void serve();
    void lose(const database_error& why);
    void await_retry();
    void answer_waiting(core::outcome how) EXCLUDES(mutex_);
    void reply_answered();
    void answer_under_way(bool in_commit);
    void forget_failures() noexcept;
    void give_back_watches();
    void catch_up();
    void settle_watches(const local::client_watch_list& standing);
    void leave() noexcept;
    void end_own() noexcept;

    // ---- while attached (worker_tasks.cpp) ----
    void execute(std::vector<asked>&& questions);
    void execute(std::vector<forgotten>&& paths);
    // Executes the requests. Afterwards each of them has an answer.
    void carry_out(std::span<asked* const> all);
    void carry_out_one(asked& question);
    [[nodiscard]] carried_out apply(std::span<asked* const> all);
    void take_answers(std::span<asked* const> all, carried_out&& done);
    void look();
    void clean();
    bool repair();
    void hear(store::touch how);
    void set_next_end(const std::optional<std::chrono::microseconds>& left);
    void end_others();
    void await_something();
    [[nodiscard]] clock::time_point next_look() const;

    [[nodiscard]] bool overtakes(const core::operation& op) const REQUIRES(mutex_);
    [[nodiscard]] std::optional<batch> take() EXCLUDES(mutex_);
    [[nodiscard]] std::vector<asked> take_asked() REQUIRES(mutex_);
    [[nodiscard]] std::vector<forgotten> take_forgotten() REQUIRES(mutex_);
    [[nodiscard]] bool stopping() const noexcept { return closing_->begun.load(); }
    void deliver(core::coordinator_event&& event) noexcept;
    void deliver(const std::vector<queued_event>& events);
    void reply(core::reply&& r, const asked& to);
    void reply_all();
    void tell(core::link_kind kind);
    void expire();

    const std::unique_ptr<database> db_;
    const std::shared_ptr<closing_signal> closing_;
    const std::shared_ptr<base::latest_failure> failures_;
    const std::string server_;
    std::optional<guardian::guarded_session> guarded_;
    const local::chroot root_;
    const std::chrono::microseconds clean_every_;
    const core::session_settings settings_;
    core::session_sink& sink_;
    std::atomic<session_id> id_{0};
    std::atomic<bool> orderly_{true};
    base::wake_up changed_;

    base::mutex mutex_;
    std::deque<task> tasks_ GUARDED_BY(mutex_);
    std::deque<asked> confirmations_ GUARDED_BY(mutex_);  // sent before the tasks
    std::optional<core::clock_reading> servers_clock_ GUARDED_BY(mutex_);

    // Only the session's thread uses the following members.
    store store_;
    local::client_watches book_;
    bool attached_ = false;
    bool dead_ = false;
    std::uint64_t connection_ = 0;
    std::vector<asked> under_way_;
    std::deque<forgotten> given_back_;  // watches to be removed at the database
    // The largest weight of the next batch. It is 1 after a failure, so that a request that always fails does not fail
    // others.
    std::size_t together_ = k_most_together;
    clock::time_point touched_{};
    clock::time_point clean_at_{};
    std::optional<clock::time_point> next_end_;  // the earliest deadline of another session
    int looks_ = 0;  // number of further looks for a process that may have ended
    clock::duration
        held_pause_{};  // before the next look for a row that a user's transaction has locked
    base::back_off held_looks_ = looks_for_a_row();
    clock::time_point looked_{};
    clock::duration pause_{};  // before the next attempt to connect
    base::back_off retries_{std::chrono::milliseconds{20}, std::chrono::seconds{1}};
    base::random chance_ = base::random::from_system();
    std::string told_;  // the latest failure that was logged
};

}  // namespace turnstile::sql
