// SPDX-License-Identifier: Apache-2.0
// worker_pool: threads for tasks that may block for seconds. A client has two pools: one for its own work (opening and
// closing of handles, what a process's shared contenders are granted, lose and are late for), and one for the callbacks
// of the stop tokens of lost holds, which are the user's and may wait for that very work.
//
// One thread is there from the start, so that tasks are done also when the system has no further one to give. While
// tasks wait, more threads are started, up to a bound; they end when nothing has been left to do for a while: a
// program that loses or releases many holds at once starts a few, and those once.
//
// Thread safety: all members from any thread. `post` may be called under a lock.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "base/signals.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

class worker_pool : public std::enable_shared_from_this<worker_pool> {
public:
    static constexpr std::size_t k_most_threads = 32;
    static constexpr std::chrono::seconds k_linger{2};

    // Throws boost::thread_resource_error when not even the first thread can be started.
    [[nodiscard]] static std::shared_ptr<worker_pool> start(
        std::size_t most = k_most_threads, boottime_clock::duration linger = k_linger);
    ~worker_pool();  // after finish()
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    // False once it has finished: the task is not done.
    bool post(std::function<void()> task);
    [[nodiscard]] bool on_this_thread() const noexcept;
    // Returns when all tasks are done, those that they post included; but for the task that calls
    // this, if one does. Nothing is done afterwards.
    void finish() noexcept;

private:
    worker_pool(std::size_t most, boottime_clock::duration linger)
        : most_{most}, linger_{linger}, mask_{base::signal_mask::of_this_thread()} {}
    void add_thread() REQUIRES(mutex_);
    void run();
    // Lets the lock go meanwhile: through a reference, which the analysis does not follow.
    void run_next(base::scoped_lock& lock) REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;

    // Waits for a task; false if the thread is to end.
    bool await_task(base::scoped_lock& lock) REQUIRES(mutex_);

    const std::size_t most_;
    const boottime_clock::duration linger_;
    const base::signal_mask mask_;  // of the thread that made it: user code runs here, or ends
    base::mutex mutex_;
    base::condition arrived_;  // a task, or the end: for the threads
    base::condition changed_;  // a thread has ended: for the end
    std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
    std::map<boost::thread::id, boost::thread> threads_ GUARDED_BY(mutex_);
    std::vector<boost::thread> ended_ GUARDED_BY(mutex_);  // to be joined
    std::size_t idle_ GUARDED_BY(mutex_) = 0;
    bool finished_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
