// SPDX-License-Identifier: Apache-2.0
// worker_pool: a client's tasks that may block for seconds. A client has two pools. One pool has the library's work:
// opening and closing of handles, and the grants, losses and deadlines of shared contenders. The other pool has the
// stop callbacks of lost holds, which are user code and may wait for that work.
//
// The tasks run on the threads of a crew, which is the pool's own or shared with other clients. They begin in order. A
// client's limit bounds how many run at a time. The end waits for the pool's own tasks only.
//
// Thread safety: all members from any thread. `post` may be called under a lock. Lock order: this lock, then the
// crew's.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "base/mutex.hpp"
#include "client/thread_crew.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

class worker_pool final : public thread_crew::member,
                          public std::enable_shared_from_this<worker_pool> {
public:
    static constexpr std::size_t k_most_threads = thread_crew::k_most_threads;

    // Starts a pool with its own crew, which ends with the pool. Throws boost::thread_resource_error if it cannot start
    // the first thread.
    [[nodiscard]] static std::shared_ptr<worker_pool> start(
        std::size_t most = k_most_threads, boottime_clock::duration linger = thread_crew::k_linger);
    [[nodiscard]] static std::shared_ptr<worker_pool> start(thread_crew::settings own);
    // Uses a crew that outlives the pool's tasks.
    [[nodiscard]] static std::shared_ptr<worker_pool> share(std::shared_ptr<thread_crew> threads);
    ~worker_pool() = default;
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    // Returns false if the pool has finished; the task is not run then.
    bool post(std::function<void()> task);
    // True inside a task.
    [[nodiscard]] bool on_this_thread() const noexcept;
    // Returns when all tasks are done, including tasks that other tasks post. It does not wait for a task that calls
    // it. The pool runs no task afterwards.
    void finish() noexcept;

    bool take_turn() noexcept override;

private:
    enum class crew { own, shared };
    worker_pool(std::shared_ptr<thread_crew> threads, crew whose, std::size_t most)
        : threads_{std::move(threads)}, whose_{whose}, most_{most} {}
    // Unlocks and relocks through a reference, which the thread-safety analysis cannot follow.
    void run_next(base::unique_lock& lock) REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    [[nodiscard]] bool is_over() const REQUIRES(mutex_) {
        return finished_ && tasks_.empty() && running_ == 0;
    }

    const std::shared_ptr<thread_crew> threads_;
    const crew whose_;
    const std::size_t most_;
    base::mutex mutex_;
    base::condition changed_;  // a task is done, or arrived after the end began
    std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
    std::size_t running_ GUARDED_BY(mutex_) = 0;
    std::size_t turns_ GUARDED_BY(mutex_) = 0;  // waiting or running
    bool finished_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
