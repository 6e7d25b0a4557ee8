// SPDX-License-Identifier: Apache-2.0
// duty_thread: runs the user's function of an election, on a thread of this object or on the user's executor.
//
// Thread safety: a value, whose copies share the thread; `run` from any thread.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/out_of_memory.hpp"
#include "client/callback_queue.hpp"
#include "turnstile/client.hpp"

namespace turnstile::detail {

class duty_thread {
public:
    // Uses the executor `users`, which must outlive this object. If it is empty, starts a thread. Throws
    // boost::thread_resource_error if no thread can be started.
    explicit duty_thread(const executor& users)
        : users_{&users},
          own_{users ? nullptr : callback_queue::start({}, {.name = "turnstile-lead"})} {}

    // Runs the task soon. The thread runs one task at a time. Throws the exceptions of the user's executor.
    void run(const std::function<void()>& task) const {
        if (!own_) return (*users_)(task);
        base::finish_or_end("a term of an election", [&] { own_->post(task); });
        own_->pump();
    }
    // Waits until the thread has ended; must not be called on that thread. Does not wait for an executor.
    void finish() const {
        if (own_) own_->finish(boottime_clock::now());  // the thread waits for no executor
    }

private:
    const executor* users_;
    std::shared_ptr<callback_queue> own_;
};

}  // namespace turnstile::detail
