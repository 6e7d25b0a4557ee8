// SPDX-License-Identifier: Apache-2.0
// thread_crew: threads for one kind of task. The clients of a runtime (runtime_impl.hpp) share them, or one client has
// them for itself.
//
// Each client's work at a crew is a *member*. A member gets a turn on one of the threads, and does a part of its work.
// If it has more work, it queues again behind the other members. So no client occupies the threads while others wait.
//
// The crew starts one thread at once, so that members get turns even if the system can start no other thread. While
// members wait, the crew starts more threads, up to `most`. A thread ends when it has been idle for a while, except the
// crew's last thread.
//
// In a crew with timers, a thread with a long turn counts as blocked, by user code or by a server. Blocked threads do
// not count towards `most`, so members get turns in spite of them. The crew checks this when a member arrives, and from
// time to time while a member waits. In a crew without timers, which belongs to one client, every thread counts.
//
// The end of the crew waits for all turns, except for turns after let_go(). In such a turn a callback has closed its
// own client, and may run without a time limit.
//
// Thread safety: all members from any thread. post() may be called under a lock. Lock order: this lock, then the
// lock of the timers.
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
#include "client/thread_start.hpp"
#include "client/timer_thread.hpp"
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
        // Does a part of the work of this member (one client). A thread of the crew calls this function, and holds no
        // lock of the crew meanwhile. Returns true if the member wants another turn.
        virtual bool take_turn() noexcept = 0;

    protected:
        ~member() = default;
    };

    struct settings {
        thread_start start{};
        std::size_t most = k_most_threads;
        boottime_clock::duration linger = k_linger;
        std::shared_ptr<timer_thread> timers{};  // null: blocked threads count, too
    };
    // Starts the crew, whose threads get the signal mask of the calling thread. Throws boost::thread_resource_error if
    // the first thread cannot be started.
    [[nodiscard]] static std::shared_ptr<thread_crew> start(settings with);
    ~thread_crew();  // only after finish()
    thread_crew(const thread_crew&) = delete;
    thread_crew& operator=(const thread_crew&) = delete;

    // Requests one turn: a thread of the crew will call the member's take_turn() once. A member may have several turns
    // pending. Must not be called after finish().
    void post(std::shared_ptr<member> next);
    [[nodiscard]] bool on_this_thread() const noexcept;
    // Makes finish() not wait for the task that the thread `of` runs now. Has no effect if the thread belongs to
    // another crew.
    void let_go(boost::thread::id of);
    // Ends the crew. No client may use it any more.
    void finish() noexcept;

    void on_timer() override;

private:
    struct worker {
        boost::thread thread;
        boottime_clock::time_point busy_since{};  // start of the turn; empty: the thread waits
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
    // This function unlocks and relocks `lock` through a reference; the compiler's thread-safety analysis cannot follow
    // that.
    void give_turn(base::unique_lock& lock, worker& self)
        REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
    // Waits until a member (the work of one client) queues for a turn. Returns false if the thread must end.
    bool await_member(base::unique_lock& lock) REQUIRES(mutex_);
    [[nodiscard]] bool all_have_ended() const REQUIRES(mutex_);

    const settings settings_;
    const support::signal_mask mask_;  // the starting thread's mask, since user code runs here
    std::optional<client_timers> timers_;
    base::mutex mutex_;
    base::condition_variable arrived_;  // wakes threads: a member arrived, or the crew ends
    base::condition_variable changed_;  // wakes finish(): a thread ended or was let go
    std::deque<std::shared_ptr<member>> waiting_ GUARDED_BY(mutex_);
    std::map<boost::thread::id, worker> threads_ GUARDED_BY(mutex_);
    std::vector<boost::thread> ended_ GUARDED_BY(mutex_);  // threads that must be joined
    std::size_t idle_ GUARDED_BY(mutex_) = 0;
    std::size_t starting_ GUARDED_BY(mutex_) = 0;
    bool looks_ GUARDED_BY(mutex_) = false;  // the timer is armed
    bool finished_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::detail
