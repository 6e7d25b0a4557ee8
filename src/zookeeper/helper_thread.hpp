// SPDX-License-Identifier: Apache-2.0
// helper_thread: runs tasks that must run neither on a thread of the C client nor on the caller's thread.
//
// Purpose: a thread that exists only while there are tasks. A task asks a server for its role after an attach, or
// delivers replies to requests that could not be sent.
//
// Thread safety: `post` from any thread, also from a task; call `stop` once, and not from a task.
#pragma once

#include <deque>
#include <functional>
#include <thread>

#include "base/mutex.hpp"

namespace turnstile::zookeeper {

class helper_thread {
public:
    helper_thread() = default;
    ~helper_thread() { stop(); }
    helper_thread(const helper_thread&) = delete;
    helper_thread& operator=(const helper_thread&) = delete;

    // Runs `task` after the earlier tasks. Returns false if no thread can be started: the task then waits for the next
    // post.
    bool post(std::function<void()> task) EXCLUDES(mutex_);

    // Discards the tasks that have not begun, and waits for the running task. Later posts do nothing.
    void stop() noexcept EXCLUDES(mutex_);

private:
    void run() EXCLUDES(mutex_);

    base::mutex mutex_;
    std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
    bool running_ GUARDED_BY(mutex_) = false;
    bool stopped_ GUARDED_BY(mutex_) = false;
    std::thread thread_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::zookeeper
