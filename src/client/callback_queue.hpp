// SPDX-License-Identifier: Apache-2.0
// callback_queue: runs user code in order, one piece at a time, under no lock of ours.
//
// `post` only enqueues and may be called under a lock; `pump`, called under none, asks for a turn on a thread of the
// queue's crew, which is its own or shared with other clients. There what is queued is run, or a task that does so is
// handed to the user's executor: no other thread calls the executor, and no two at a time, so one that runs its
// task in the call, blocks or throws holds up nothing else.
//
// The executor may be a strand, whose other tasks must not run beside a callback. So what it has got
// runs there and nowhere else, also at the end, unless it is gone: it throws, or destroys the task without having
// run it. Then the crew's threads run what waits.
//
// | what waits         | runs                                                                       |
// |--------------------|----------------------------------------------------------------------------|
// | no executor        | on a thread of the crew: so many, then it is another client's turn         |
// | the executor works | on it                                                                      |
// | it is gone         | as without                                                                 |
// | at the end         | as above, until the end's time limit; then it stays with the executor, which |
// |                    | runs it late or destroys it                                                |
// | after the end      | in the thread that pumps                                                   |
//
// Thread safety: all members from any thread. Lock order: this lock, then the crew's.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "client/thread_crew.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

class callback_queue final : public thread_crew::member,
                             public std::enable_shared_from_this<callback_queue> {
public:
    // An empty executor: the crew's threads. With a crew of its own, of one thread, which ends with it. Throws
    // boost::thread_resource_error.
    [[nodiscard]] static std::shared_ptr<callback_queue> start(executor run);
    [[nodiscard]] static std::shared_ptr<callback_queue> start(executor run,
                                                               thread_start own_thread);
    // On the threads of a crew that outlives the queue's end.
    [[nodiscard]] static std::shared_ptr<callback_queue> share(
        executor run, std::shared_ptr<thread_crew> threads);
    ~callback_queue() = default;
    callback_queue(const callback_queue&) = delete;
    callback_queue& operator=(const callback_queue&) = delete;

    void post(std::function<void()> task);
    // After `finish` it runs what is queued itself: no thread is left to do so.
    void pump();

    // Waits for callbacks that have begun, and for those that are queued: for an executor until
    // the deadline at most, and not at all on a thread on which one runs callbacks, which it would hold up.
    // Called from a callback it waits for none, and the rest runs when that one has returned.
    void finish(boottime_clock::time_point deadline) noexcept;
    // True in a callback.
    [[nodiscard]] bool on_this_thread() const;

    bool take_turn() noexcept override;

private:
    class executor_task;
    enum class crew { own, shared };
    enum class whose { ours, the_executors };  // thread
    using tasks = std::deque<std::function<void()>>;

    callback_queue(executor run, std::shared_ptr<thread_crew> threads, crew owner);
    void want_turn() REQUIRES(mutex_);
    bool hand_over() noexcept;
    void abandoned() noexcept;
    void let_go() REQUIRES(mutex_);
    // These let the lock go meanwhile: through a reference, which the analysis does not follow.
    bool drain(base::unique_lock& lock, whose thread) REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    void await_executor(base::unique_lock& lock, boottime_clock::time_point deadline) noexcept
        REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    bool helps(base::unique_lock& lock) noexcept REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    void await_turns(base::unique_lock& lock) noexcept REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    void leave_rest(base::unique_lock& lock) REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    [[nodiscard]] bool is_idle() const REQUIRES(mutex_) {
        return tasks_.empty() && drainer_ == boost::thread::id{};
    }
    // Other clients wait for the thread that drains.
    [[nodiscard]] bool shares_threads(whose thread) const REQUIRES(mutex_) {
        return thread == whose::ours && whose_ == crew::shared && !finished_;
    }

    const std::shared_ptr<thread_crew> threads_;
    const crew whose_;
    const bool has_executor_;
    mutable base::mutex mutex_;
    base::condition changed_;
    executor run_;  // the thread's that gives it a task; else under the lock
    tasks tasks_ GUARDED_BY(mutex_);
    std::atomic<bool> posted_{false};              // since the last pump; changed under the lock
    tasks left_ GUARDED_BY(mutex_);                // at the end, to the executor
    bool turn_ GUARDED_BY(mutex_) = false;         // one is asked for and has not begun
    boost::thread::id hander_ GUARDED_BY(mutex_);  // gives the executor a task now
    bool wanted_ GUARDED_BY(mutex_) = false;       // another turn, when that is done
    bool scheduled_ GUARDED_BY(mutex_) = false;    // the executor has a task that it has not begun
    bool orphaned_ GUARDED_BY(mutex_) = false;     // it is gone: the crew does the work
    bool finished_ GUARDED_BY(mutex_) = false;
    boost::thread::id drainer_ GUARDED_BY(mutex_);  // runs callbacks now
};

}  // namespace turnstile::detail
