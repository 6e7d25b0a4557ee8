// SPDX-License-Identifier: Apache-2.0
// runtime_impl: the threads that clients share: one thread for timers, and a crew for each other kind of work.
//
// Each client has its own queues, pools and timers on these threads, and they end with the client. So the end of a
// client waits only for its own callbacks and tasks. Clients own the runtime_impl, and so do objects that outlive
// clients, such as guards. The threads end with the last owner, on any thread. By then the only turn that can still run
// is one in which a callback closed its own client, and the crew has let that turn go.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstdint>
#include <memory>

#include "client/callback_queue.hpp"
#include "client/client_timers.hpp"
#include "client/thread_crew.hpp"
#include "client/worker_pool.hpp"
#include "turnstile/runtime.hpp"

namespace turnstile::detail {

class runtime_impl {
public:
    // Throws what the constructor of turnstile::runtime throws.
    explicit runtime_impl(const runtime_options& options);
    ~runtime_impl();
    runtime_impl(const runtime_impl&) = delete;
    runtime_impl& operator=(const runtime_impl&) = delete;

    // fork() copies no threads: a child of the process that made the runtime leaves its copy of the runtime alone.
    [[nodiscard]] bool forked() const noexcept;

    [[nodiscard]] std::shared_ptr<client_timers> new_timers() const {
        return std::make_shared<client_timers>(timers_);
    }
    [[nodiscard]] std::shared_ptr<callback_queue> new_callbacks(const executor& run) const {
        return callback_queue::share(run, callbacks_);
    }
    [[nodiscard]] std::shared_ptr<worker_pool> new_workers() const {
        return worker_pool::share(work_);
    }
    [[nodiscard]] std::shared_ptr<worker_pool> new_loss_callbacks() const {
        return worker_pool::share(loss_callbacks_);
    }

private:
    void end() noexcept;

    const std::uint64_t generation_;
    std::shared_ptr<timer_thread> timers_;
    std::shared_ptr<thread_crew> callbacks_;
    std::shared_ptr<thread_crew> work_;
    std::shared_ptr<thread_crew> loss_callbacks_;
};

// The name and start function of a thread of a runtime, or of a client without a runtime.
[[nodiscard]] thread_start start_of(thread_duty duty, const runtime_options& options);

}  // namespace turnstile::detail
