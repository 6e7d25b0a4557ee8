// SPDX-License-Identifier: Apache-2.0
// worker_pool: runs tasks of a client that may block for seconds. A client has two pools. The first runs the library's
// work: opening and closing of sessions, and the grants, losses and deadlines of shared_contender objects. The second
// runs the stop callbacks of lost holds. These callbacks are user code, and may wait for the library's work.
//
// The tasks run on a group of threads, the crew, which belongs to this pool or is shared with other clients. The tasks
// begin in order. Each pool has a limit for the number of tasks that run at a time. finish() waits only for the tasks
// of this pool.
//
// Thread safety: all members from any thread. `post` may be called under a lock. Lock order: this lock, then the
// lock of the crew.
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

    // Starts a pool, and a group of threads (crew) for this pool only. The threads end with the pool. Throws
    // boost::thread_resource_error if the first thread cannot be started.
    [[nodiscard]] static std::shared_ptr<worker_pool> start(thread_crew::settings own);
    // Makes a pool on a shared group of threads (crew), which must outlive the pool's tasks.
    [[nodiscard]] static std::shared_ptr<worker_pool> share(std::shared_ptr<thread_crew> threads);
    ~worker_pool() = default;
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    // Queues the task. Returns false, and does not run the task, if the pool has finished.
    bool post(std::function<void()> task);
    // True if the calling thread runs a task of this pool.
    [[nodiscard]] bool on_this_thread() const noexcept;
    // Waits until all tasks are done, including tasks that other tasks post. Does not wait for a task that calls this
    // function. The pool runs no task afterwards.
    void finish() noexcept;

    bool take_turn() noexcept override;

private:
    enum class crew { own, shared };
    worker_pool(std::shared_ptr<thread_crew> threads, crew whose, std::size_t most)
        : threads_{std::move(threads)}, whose_{whose}, most_{most} {}
    // This function unlocks and relocks `lock` through a reference; the compiler's thread-safety analysis cannot follow
    // that.
    void run_next(base::unique_lock& lock) REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    [[nodiscard]] bool is_over() const REQUIRES(mutex_) {
        return finished_ && tasks_.empty() && running_ == 0;
    }

    const std::shared_ptr<thread_crew> threads_;
    const crew whose_;
    const std::size_t most_;
    base::mutex mutex_;
    base::condition_variable changed_;  // a task is done, or arrived after the end began
    std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
    std::size_t running_ GUARDED_BY(mutex_) = 0;
    std::size_t turns_ GUARDED_BY(mutex_) = 0;  // number of turns that wait or run
    bool finished_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
