// SPDX-License-Identifier: Apache-2.0
// serial_thread: runs what is posted, one task at a time, in order, on a thread of its own.
//
// The thread starts with the first task and ends with the object. What was posted before the end is
// carried out. A forked child does not have that thread: there nothing is carried out, and nothing
// waits for it.
#pragma once

#include <boost/thread/thread.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "base/mutex.hpp"

namespace turnstile::local {

// Thread safety: all members from any thread; destroyed on another than its own.
class serial_thread {
public:
    using task = std::function<void()>;

    serial_thread();
    ~serial_thread();
    serial_thread(const serial_thread&) = delete;
    serial_thread& operator=(const serial_thread&) = delete;

    // Throws if the thread cannot be started.
    void post(task next);
    // Returns when the task was carried out; at once in a forked child. Not on the thread itself.
    void run(const task& next);

private:
    // Shared with the thread, so that it outlives the object: a forked child may not destroy
    // a condition on which a thread of the parent waited.
    struct queue {
        base::mutex mutex;
        base::condition changed;
        std::deque<task> tasks GUARDED_BY(mutex);
        bool ended GUARDED_BY(mutex) = false;
    };

    static void work(const std::shared_ptr<queue>& tasks);
    static bool take(queue& tasks, task& next);

    const std::uint64_t process_;
    const std::shared_ptr<queue> queue_;
    std::unique_ptr<boost::thread> thread_ GUARDED_BY(queue_->mutex);
};

}  // namespace turnstile::local
