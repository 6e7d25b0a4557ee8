// SPDX-License-Identifier: Apache-2.0
// thread_crew: threads for one kind of task, that the clients of a runtime share.
//
// What clients have to do here are *members*: one gets a turn on one of the threads, does a part of its work, and goes
// behind the others that wait, if it has more to do. So no client has the threads for itself while others wait.
//
// One thread is there from the start, so that turns come also when the system has no further one to give. While members
// wait, more threads are started, up to `most`; they end when nothing has been left to do for a while.
//
// In a crew with timers a thread that has been in one turn for long is taken for blocked, by user code or a server, and
// does not count: so blocked threads never keep members from their turns for long. That is looked at when a member
// comes, and while one waits. In a crew without them, which is one client's own, every thread counts.
//
// The end waits for all turns but those that have let go: in such a turn a client was closed by its own callback, which
// may go on for as long as it likes.
//
// Thread safety: all members from any thread. post() may be called under a lock. Lock order: this lock, then the timers'.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "client/client_timers.hpp"
#include "client/thread_start.hpp"
#include "support/signals.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {

class thread_crew final : public timer_thread::client,
                          public std::enable_shared_from_this<thread_crew> {
public:
    static constexpr std::size_t k_most_threads = 32;
    static constexpr std::chrono::seconds k_linger{2};
    static constexpr std::chrono::milliseconds k_blocked_after{50};

    class member {
    public:
        // The crew calls it on one of its threads, under none of its locks. True: the member wants another turn.
        virtual bool take_turn() noexcept = 0;

    protected:
        ~member() = default;
    };

    struct settings {
        thread_start start{};
        std::size_t most = k_most_threads;
        boottime_clock::duration linger = k_linger;
        std::shared_ptr<timer_thread> timers{};  // none: blocked threads count as others do
    };
    // Throws boost::thread_resource_error when not even the first thread can be started. Its threads have the signal
    // mask of the calling one.
    [[nodiscard]] static std::shared_ptr<thread_crew> start(settings with);
    ~thread_crew();  // after finish()
    thread_crew(const thread_crew&) = delete;
    thread_crew& operator=(const thread_crew&) = delete;

    // One turn; a member may be waiting for several. Not after the end.
    void post(std::shared_ptr<member> next);
    [[nodiscard]] bool on_this_thread() const noexcept;
    // The end does not wait for the turn that this thread is in, nor for what follows it there. No effect for other
    // threads than the crew's.
    void let_go(boost::thread::id of);
    // No client has anything to do here any more.
    void finish() noexcept;

    void on_timer() override;

private:
    struct worker {
        boost::thread thread;
        boottime_clock::time_point busy_since{};  // none: it waits
        bool let_go = false;
    };

    explicit thread_crew(settings with);
    void add_thread() REQUIRES(mutex_);
    void grow() REQUIRES(mutex_);
    [[nodiscard]] bool has_room() const REQUIRES(mutex_);
    [[nodiscard]] bool lacks_threads() const REQUIRES(mutex_) {
        return waiting_.size() > idle_ + starting_;
    }
    void run();
    // Lets the lock go meanwhile: through a reference, which the analysis does not follow.
    void give_turn(base::unique_lock& lock, worker& self)
        REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    // Waits for a member; false if the thread is to end.
    bool await_member(base::unique_lock& lock) REQUIRES(mutex_);
    [[nodiscard]] bool all_have_ended() const REQUIRES(mutex_);

    const settings settings_;
    const support::signal_mask mask_;  // of the thread that made it: user code runs here, or ends
    std::optional<client_timers> timers_;
    base::mutex mutex_;
    base::condition arrived_;  // a member, or the end: for the threads
    base::condition changed_;  // a thread has ended, or was let go: for the end
    std::deque<std::shared_ptr<member>> waiting_ GUARDED_BY(mutex_);
    std::map<boost::thread::id, worker> threads_ GUARDED_BY(mutex_);
    std::vector<boost::thread> ended_ GUARDED_BY(mutex_);  // to be joined
    std::size_t idle_ GUARDED_BY(mutex_) = 0;
    std::size_t starting_ GUARDED_BY(mutex_) = 0;
    bool looks_ GUARDED_BY(mutex_) = false;  // the timers are armed
    bool finished_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
