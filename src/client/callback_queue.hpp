// SPDX-License-Identifier: Apache-2.0
// callback_queue: runs user code in order, one piece at a time, under no lock of ours.
//
// `post` only enqueues and may be called under a lock; `pump`, called under none, wakes the queue's
// thread. That thread runs what is queued, or hands a task that does so to the user's executor: it
// alone calls the executor, so one that runs its task in the call, blocks or throws holds up nothing
// else.
//
// The executor may be a strand, whose other tasks must not run beside a callback. So what it has got
// runs there and nowhere else, also at the end, unless it is gone: it throws, or destroys the task without having
// run it. Then the queue's thread runs what waits.
//
// | what waits         | runs                                                                       |
// |--------------------|----------------------------------------------------------------------------|
// | no executor        | on the queue's thread                                                      |
// | the executor works | on it                                                                      |
// | it is gone         | on the queue's thread                                                      |
// | at the end         | as above, until the end's time limit; then it stays with the executor, which |
// |                    | runs it late or destroys it                                                |
// | after the end      | in the thread that pumps                                                   |
//
// Thread safety: all members from any thread.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "base/signals.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

class callback_queue : public std::enable_shared_from_this<callback_queue> {
public:
    // An empty executor: the queue's own thread. Throws boost::thread_resource_error.
    [[nodiscard]] static std::shared_ptr<callback_queue> start(executor run);
    ~callback_queue();
    callback_queue(const callback_queue&) = delete;
    callback_queue& operator=(const callback_queue&) = delete;

    void post(std::function<void()> task);
    // After `finish` it runs what is queued itself: no thread is left to do so.
    void pump();

    // Ends the thread. Waits for callbacks that have begun, and for those that are queued: for an executor until
    // the deadline at most, and not at all on a thread on which one runs callbacks, which it would hold up.
    // Called from a callback it waits for none, and the rest runs when that one has returned.
    void finish(boottime_clock::time_point deadline) noexcept;
    // True in a callback.
    [[nodiscard]] bool on_this_thread() const;

private:
    class executor_task;
    enum class whose { ours, the_executors };  // thread
    using tasks = std::deque<std::function<void()>>;

    explicit callback_queue(executor run);
    void run_own_thread();
    void hand_over();
    void drain(whose thread);
    void abandoned() noexcept;
    [[nodiscard]] bool idle() const REQUIRES(mutex_) {
        return tasks_.empty() && drainer_ == boost::thread::id{};
    }
    void await_executor(base::scoped_lock& lock, boottime_clock::time_point deadline) noexcept
        REQUIRES(mutex_);

    executor run_;  // on the queue's thread alone, once it has started
    const bool has_executor_;
    const base::signal_mask mask_;  // of the thread that made it: user code runs here
    mutable base::mutex mutex_;
    base::condition changed_;
    tasks tasks_ GUARDED_BY(mutex_);
    tasks left_ GUARDED_BY(mutex_);              // at the end, to the executor
    bool wanted_ GUARDED_BY(mutex_) = false;     // the executor is to be given a task
    bool scheduled_ GUARDED_BY(mutex_) = false;  // it has one that it has not begun
    bool orphaned_ GUARDED_BY(mutex_) = false;   // it is gone: our thread does the work
    bool finished_ GUARDED_BY(mutex_) = false;
    boost::thread::id drainer_ GUARDED_BY(mutex_);  // runs callbacks now
    boost::thread own_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
