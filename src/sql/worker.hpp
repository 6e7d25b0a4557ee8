// SPDX-License-Identifier: Apache-2.0
// worker: the work of a session's thread (session.hpp).
//
// Thread safety: `submit`, `forget_watches`, `id` and `stop` from any thread; the session's thread calls `run`.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/latest_failure.hpp"
#include "base/mutex.hpp"
#include "base/random.hpp"
#include "core/seam/coordinator.hpp"
#include "guardian/module_notice.hpp"
#include "sql/batch_size.hpp"
#include "sql/closing_signal.hpp"
#include "sql/database.hpp"
#include "sql/database_failures.hpp"
#include "sql/executing_batch.hpp"
#include "sql/look_schedule.hpp"
#include "sql/session_outlet.hpp"
#include "sql/store.hpp"
#include "sql/task_queue.hpp"

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

    // ---- functions that connect the session (worker.cpp) ----
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

}  // namespace turnstile::sql
