// SPDX-License-Identifier: Apache-2.0
// duty_thread: the place where an election's function runs: a thread of this object, or an executor of the user's.
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
    // Uses the user's executor, which must outlive this object, or starts a thread if that is empty. Throws
    // boost::thread_resource_error if no thread can be started.
    explicit duty_thread(const executor& users)
        : users_{&users},
          own_{users ? nullptr : callback_queue::start({}, {.name = "turnstile-lead"})} {}

    // Runs the task soon; a thread runs its tasks one at a time. Throws the exceptions of the user's executor.
    void run(const std::function<void()>& task) const {
        if (!own_) return (*users_)(task);
        base::finish_or_end("a term of an election", [&] { own_->post(task); });
        own_->pump();
    }
    // Waits until the thread has ended; must not be called on that thread itself. An executor is not waited for.
    void finish() const {
        if (own_) own_->finish(boottime_clock::now());  // the thread waits for no executor
    }

private:
    const executor* users_;
    std::shared_ptr<callback_queue> own_;
};

}  // namespace turnstile::detail
