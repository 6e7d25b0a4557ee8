// SPDX-License-Identifier: Apache-2.0
// helper_thread: runs tasks that must run neither on the C client's threads nor in the caller's.
//
// Purpose: one thread that lives only while there are tasks: after an attach (asking the server for its role), and
// for replies to requests that could not be sent.
//
// Thread safety: `post` from any thread, tasks included; `stop` once, not from a task.
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

    // Runs `task` after earlier tasks. Returns false if no thread can be started: the task waits for the next post.
    bool post(std::function<void()> task) EXCLUDES(mutex_);

    // Drops tasks that have not begun, and waits for the running one. Later posts are ignored.
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
