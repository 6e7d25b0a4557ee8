// SPDX-License-Identifier: Apache-2.0
// serial_thread: a thread that runs posted tasks, one at a time and in order.
//
// The thread starts with the first task. The destructor waits until all posted tasks have run. After fork(), the thread
// does not exist in the child: the child runs no task, and no call waits.
#pragma once

#include <boost/thread/thread.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "base/mutex.hpp"
#include "base/process.hpp"

namespace turnstile::local {

// Thread safety: all members from any thread. The destructor must not run on the serial thread itself.
class serial_thread {
public:
    using task = std::function<void()>;

    serial_thread();
    ~serial_thread();
    serial_thread(const serial_thread&) = delete;
    serial_thread& operator=(const serial_thread&) = delete;

    // Throws if the thread cannot be started.
    void post(task next);
    // Returns when `next` has run; after fork(), returns at once in the child. Do not call this on the serial thread
    // itself.
    void run(const task& next);

private:
    // The thread and this object share the queue, because a child of fork() must not destroy a condition variable on
    // which the parent's thread waits.
    struct queue {
        base::mutex mutex;
        base::condition_variable changed;
        std::deque<task> tasks GUARDED_BY(mutex);
        bool ended GUARDED_BY(mutex) = false;
    };

    static void work(const std::shared_ptr<queue>& tasks);
    static bool take(queue& tasks, task& next);

    const base::process_mark process_;
    const std::shared_ptr<queue> queue_;
    std::unique_ptr<boost::thread> thread_ GUARDED_BY(queue_->mutex);
};

}  // namespace turnstile::local
