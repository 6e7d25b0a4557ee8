// SPDX-License-Identifier: Apache-2.0
// worker_pool: a client's tasks that may block for seconds. A client has two pools: one for its own work (opening and
// closing of handles, what a process's shared contenders are granted, lose and are late for), and one for the callbacks
// of the stop tokens of lost holds, which are the user's and may wait for that very work.
//
// The tasks run on the threads of a crew, which is the pool's own or shared with other clients: begun in order, as many
// at a time as a client may have. The end waits for the pool's tasks, and for no others.
//
// Thread safety: all members from any thread. `post` may be called under a lock. Lock order: this lock, then the crew's.
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

    // With a crew of its own, which ends with it. Throws boost::thread_resource_error when not even the first thread can
    // be started.
    [[nodiscard]] static std::shared_ptr<worker_pool> start(
        std::size_t most = k_most_threads, boottime_clock::duration linger = thread_crew::k_linger);
    [[nodiscard]] static std::shared_ptr<worker_pool> start(thread_crew::settings own);
    // On the threads of a crew that outlives the pool's tasks.
    [[nodiscard]] static std::shared_ptr<worker_pool> share(std::shared_ptr<thread_crew> threads);
    ~worker_pool() = default;
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    // False once it has finished: the task is not done.
    bool post(std::function<void()> task);
    // True in a task.
    [[nodiscard]] bool on_this_thread() const noexcept;
    // Returns when all tasks are done, those that they post included; but for the task that calls
    // this, if one does. Nothing is done afterwards.
    void finish() noexcept;

    bool take_turn() noexcept override;

private:
    enum class crew { own, shared };
    worker_pool(std::shared_ptr<thread_crew> threads, crew whose, std::size_t most)
        : threads_{std::move(threads)}, whose_{whose}, most_{most} {}
    // Lets the lock go meanwhile: through a reference, which the analysis does not follow.
    void run_next(base::unique_lock& lock) REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    [[nodiscard]] bool is_over() const REQUIRES(mutex_) {
        return finished_ && tasks_.empty() && running_ == 0;
    }

    const std::shared_ptr<thread_crew> threads_;
    const crew whose_;
    const std::size_t most_;
    base::mutex mutex_;
    base::condition changed_;  // a task is done, or one has come after the end began
    std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
    std::size_t running_ GUARDED_BY(mutex_) = 0;
    std::size_t turns_ GUARDED_BY(mutex_) = 0;  // that wait, or are under way
    bool finished_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
