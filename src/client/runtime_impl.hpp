// SPDX-License-Identifier: Apache-2.0
// runtime_impl: the threads that clients share: one thread for timers, and for each other kind of work a group of
// threads, the *crew*.
//
// Each client has its own queues, pools and timers. They run on the threads of the runtime_impl, and end with the
// client. So the end of a client waits only for the client's own callbacks and tasks. Clients own the runtime_impl, and
// so do objects that outlive clients, for example guards. Any thread may destroy the last of these owners. The threads
// of the runtime_impl then end. If a callback has closed its own client and still runs, the crew does not wait for this
// callback.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstdint>
#include <memory>

#include "base/process.hpp"
#include "client/callback_queue.hpp"
#include "client/thread_crew.hpp"
#include "client/timer_thread.hpp"
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

    // True in a forked child of the process that made the runtime. fork() copies no threads, so the child must not use
    // the runtime.
    [[nodiscard]] bool forked() const noexcept { return process_.forked(); }

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

    const base::process_mark process_;
    std::shared_ptr<timer_thread> timers_;
    std::shared_ptr<thread_crew> callbacks_;
    std::shared_ptr<thread_crew> work_;
    std::shared_ptr<thread_crew> loss_callbacks_;
};

// Returns the name and the start function of a thread that belongs to a runtime, or to a client without a runtime.
[[nodiscard]] thread_start start_of(thread_duty duty, const runtime_options& options);

}  // namespace turnstile::detail
