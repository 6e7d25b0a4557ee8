// SPDX-License-Identifier: Apache-2.0
// client_services: the objects that the sessions of a client share.
//
// Thread safety: a client sets the members before its first session starts. Afterwards any thread may use the objects.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "client/callback_queue.hpp"
#include "client/timer_thread.hpp"
#include "client/worker_pool.hpp"
#include "core/contender/notice.hpp"
#include "core/lease/clock_watch.hpp"
#include "core/seam/coordinator.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile::detail {

struct contender_counts {
    std::atomic<std::uint64_t> entered{0};
    std::atomic<std::uint64_t> granted{0};
    std::atomic<std::uint64_t> failed{0};
    std::atomic<std::uint64_t> lost{0};
    std::atomic<std::uint64_t> gone{0};
    std::atomic<std::uint64_t> waited{0};  // counts each call once

    // Each of these functions updates the counters of this struct. `entered` counts the calls whose first znode was
    // created. `granted`, `failed`, `lost` and `gone` count only calls that `entered` has counted.
    void count_entry() noexcept { entered.fetch_add(1, std::memory_order_relaxed); }
    void count_wait() noexcept { waited.fetch_add(1, std::memory_order_relaxed); }
    void count(const core::notice& news) noexcept;
};

class metrics_impl;
class outage_watch;
class runtime_impl;

struct client_services {
    // The threads of the members below belong to this runtime. Null: each member has its own threads.
    std::shared_ptr<runtime_impl> runtime;
    std::shared_ptr<core::coordinator> servers;
    core::session_settings session;
    core::acl_policy acl{};                         // access to the znodes that the client creates
    std::optional<core::clock_watch> wall_clock{};  // copied by each session; empty: not checked
    std::shared_ptr<callback_queue> callbacks;
    std::shared_ptr<client_timers> timers;
    std::shared_ptr<worker_pool> workers;         // for the library's own tasks
    std::shared_ptr<worker_pool> loss_callbacks;  // the user's stop callbacks of lost holds
    // Reports a change of a session to the client. Called under the session's lock, so it only enqueues the change.
    std::function<void(const session_change&)> on_change;
    std::shared_ptr<outage_watch> outage;  // finds out why no session is attached
    contender_counts counts{};
    std::shared_ptr<metrics_impl> metrics;   // null: no metrics
    std::atomic<std::uint64_t> requests{0};  // requests that a session passed to the back end

    void start_threads(const client_options& options);
    // True on a thread that runs user code. There close() must not wait for another thread's close(), which waits until
    // the user code has returned.
    [[nodiscard]] bool on_user_thread() const;
    // Ends all threads, also after a failed start. `patience` limits the wait for the executor.
    void end(std::chrono::milliseconds patience) const noexcept;
};

}  // namespace turnstile::detail
