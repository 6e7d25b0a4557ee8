// SPDX-License-Identifier: Apache-2.0
// duty_thread: where an election's function is called: on a thread of the object's own, or by an executor of the user's.
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
    // The user's, which outlives it, or if that is empty a thread that starts now. Throws
    // boost::thread_resource_error for want of one.
    explicit duty_thread(const executor& users)
        : users_{&users},
          own_{users ? nullptr : callback_queue::start({}, {.name = "turnstile-lead"})} {}

    // Soon, one task at a time on a thread of its own. Throws what the user's executor throws.
    void run(const std::function<void()>& task) const {
        if (!own_) return (*users_)(task);
        base::finish_or_end("a term of an election", [&] { own_->post(task); });
        own_->pump();
    }
    // Waits until the thread of its own has ended; not on that thread itself. An executor goes on without it.
    void finish() const {
        if (own_) own_->finish(boottime_clock::now());  // it has no executor to wait for
    }

private:
    const executor* users_;
    std::shared_ptr<callback_queue> own_;
};

}  // namespace turnstile::detail
