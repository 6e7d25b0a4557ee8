// SPDX-License-Identifier: Apache-2.0
// callback_queue: runs user code in order, one callback at a time, under no lock of the library.
//
// post() only enqueues, so it may be called under a lock. pump() must be called under no lock, and requests a thread of
// the queue's crew (a group of threads that several clients may share, thread_crew.hpp). The thread runs the callbacks,
// or passes a task that runs them to the user's executor. Only this thread calls the executor. So no other thread waits
// while the executor blocks, throws, or runs its task inside the call.
//
// The executor may be a strand, whose other tasks must not run at the same time as a callback. So callbacks for an
// executor run only on that executor, even when the client closes. If the executor no longer works (it throws, or
// destroys the task without running it), the crew's threads run the callbacks.
//
// | situation          | callbacks run                                                              |
// |--------------------|----------------------------------------------------------------------------|
// | no executor        | on a thread of the crew; after k_callbacks_a_turn callbacks another client |
// |                    | gets a turn                                                                |
// | the executor works | on the executor                                                            |
// | the executor fails | on a thread of the crew; other clients get turns between the callbacks     |
// | the client closes  | without an executor, on a thread of the crew; otherwise on the executor    |
// |                    | until the close's time limit, and then the executor keeps the rest, and    |
// |                    | runs it late or destroys it                                                |
// | after the close    | in the thread that calls pump()                                            |
//
// Thread safety: all members from any thread. Lock order: this lock, then the lock of the crew.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "client/thread_crew.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

class callback_queue final : public thread_crew::member,
                             public std::enable_shared_from_this<callback_queue> {
public:
    // Starts a queue, and one thread that only this queue uses. The thread ends with the queue. If the executor is
    // empty, the thread runs the callbacks. Throws boost::thread_resource_error.
    [[nodiscard]] static std::shared_ptr<callback_queue> start(executor run,
                                                               thread_start own_thread = {});
    // Makes a queue whose callbacks run on `threads`, which several queues share. `threads` must outlive the queue.
    [[nodiscard]] static std::shared_ptr<callback_queue> share(
        executor run, std::shared_ptr<thread_crew> threads);
    ~callback_queue() = default;
    callback_queue(const callback_queue&) = delete;
    callback_queue& operator=(const callback_queue&) = delete;

    void post(std::function<void()> task);
    void post(std::vector<std::function<void()>>&& all) {
        for (auto& task : all) post(std::move(task));
    }
    // If callbacks are queued, requests a thread of the library, which runs them or gives them to the executor. After
    // finish(), runs the callbacks in the calling thread, because the queue has no other thread left.
    void pump();

    // Waits until the running and queued callbacks have returned. If an executor runs them, waits until the deadline at
    // most. A thread on which an executor runs callbacks does not wait, because this would block the executor. A
    // callback that calls finish() does not wait either; the remaining callbacks run after that callback has returned.
    void finish(boottime_clock::time_point deadline) noexcept;
    // True if the calling thread runs this queue's callbacks now.
    [[nodiscard]] bool on_this_thread() const;

    bool take_turn() noexcept override;

private:
    class executor_task;
    enum class crew { own, shared };
    enum class whose { ours, the_executors };  // the owner of a thread: the library or the executor
    using tasks = std::deque<std::function<void()>>;

    callback_queue(executor run, std::shared_ptr<thread_crew> threads, crew owner);
    void want_turn() REQUIRES(mutex_);
    bool hand_over() noexcept;
    void abandoned() noexcept;
    void let_go() REQUIRES(mutex_);
    // These functions unlock and relock `lock` through a reference; the compiler's thread-safety analysis cannot follow
    // that.
    bool drain(base::unique_lock& lock, whose thread) REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    void await_executor(base::unique_lock& lock, boottime_clock::time_point deadline) noexcept
        REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    bool helps(base::unique_lock& lock) noexcept REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    void await_turns(base::unique_lock& lock) noexcept REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    void leave_rest(base::unique_lock& lock) REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    [[nodiscard]] bool is_idle() const REQUIRES(mutex_) {
        return tasks_.empty() && drainer_ == boost::thread::id{};
    }
    // True if other clients may be waiting for the thread that runs callbacks.
    [[nodiscard]] bool shares_threads(whose thread) const REQUIRES(mutex_) {
        return thread == whose::ours && whose_ == crew::shared && !finished_;
    }

    const std::shared_ptr<thread_crew> threads_;
    const crew whose_;
    const bool has_executor_;
    mutable base::mutex mutex_;
    base::condition_variable changed_;
    executor run_;  // used without a lock only by the thread that calls it
    tasks tasks_ GUARDED_BY(mutex_);
    std::atomic<bool> posted_{false};              // since the last pump; changed under the lock
    tasks left_ GUARDED_BY(mutex_);                // the executor keeps these after the end
    bool turn_ GUARDED_BY(mutex_) = false;         // a turn was requested and has not begun
    boost::thread::id hander_ GUARDED_BY(mutex_);  // the thread that calls the executor now
    bool wanted_ GUARDED_BY(mutex_) = false;       // request another turn after that call
    bool scheduled_ GUARDED_BY(mutex_) = false;    // the executor has a task that it has not begun
    bool orphaned_ GUARDED_BY(mutex_) = false;  // the executor is gone: the crew runs the callbacks
    bool finished_ GUARDED_BY(mutex_) = false;
    boost::thread::id drainer_ GUARDED_BY(mutex_);  // the thread that runs callbacks now
};

}  // namespace turnstile::detail
