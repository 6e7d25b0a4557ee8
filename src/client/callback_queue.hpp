// callback_queue: runs user code in order, one piece at a time, under no lock of ours.
//
// `post` only enqueues and may be called under a lock; `pump`, called under none, hands a drain task
// to the executor: the client's own thread, or the user's. So order is kept on any executor.
//
// Thread safety: all members from any thread. The executor's tasks keep the queue alive.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "turnstile/client_options.hpp"

namespace turnstile::detail {

class callback_queue : public std::enable_shared_from_this<callback_queue> {
public:
    // An empty executor: one thread of our own, started at the first callback.
    explicit callback_queue(executor run);
    ~callback_queue();
    callback_queue(const callback_queue&) = delete;
    callback_queue& operator=(const callback_queue&) = delete;

    void post(std::function<void()> task);
    void pump();

    // Runs what is queued and takes nothing more. Waits for it, unless called from a callback.
    void finish() noexcept;
    [[nodiscard]] bool on_this_thread() const;

private:
    void drain();
    void run_own_thread();

    const executor run_;
    mutable base::mutex mutex_;
    base::condition changed_;
    std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
    bool draining_ GUARDED_BY(mutex_) = false;
    bool finished_ GUARDED_BY(mutex_) = false;
    boost::thread::id drainer_ GUARDED_BY(mutex_);
    boost::thread own_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
