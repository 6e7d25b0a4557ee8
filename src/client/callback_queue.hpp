// callback_queue: runs user code in order, one piece at a time, under no lock of ours.
//
// `post` only enqueues and may be called under a lock; `pump`, called under none, wakes the queue's
// thread. That thread runs what is queued, or hands a task that does so to the user's executor: it
// alone calls the executor, so one that runs its task in the call, blocks or throws holds up nobody
// else. What the executor has not begun at the end, the queue's thread runs.
//
// Thread safety: all members from any thread.
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
    // An empty executor: the queue's own thread. Throws boost::thread_resource_error.
    [[nodiscard]] static std::shared_ptr<callback_queue> start(executor run);
    ~callback_queue();
    callback_queue(const callback_queue&) = delete;
    callback_queue& operator=(const callback_queue&) = delete;

    void post(std::function<void()> task);
    // After `finish` it runs what is queued itself: nobody else is left to do so.
    void pump();

    // Ends the thread when everything that is queued has run, and waits for that; called from a
    // callback it does not wait, and the rest runs when that one has returned.
    void finish() noexcept;
    // True in a callback.
    [[nodiscard]] bool on_this_thread() const;

private:
    explicit callback_queue(executor run);
    void run_own_thread();
    void hand_over();
    void drain();

    const executor run_;
    mutable base::mutex mutex_;
    base::condition changed_;
    std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
    bool wanted_ GUARDED_BY(mutex_) = false;     // there is something for our thread to do
    bool scheduled_ GUARDED_BY(mutex_) = false;  // the executor has a task that it has not begun
    bool finished_ GUARDED_BY(mutex_) = false;
    boost::thread::id drainer_ GUARDED_BY(mutex_);  // who runs callbacks now
    boost::thread own_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
