// SPDX-License-Identifier: Apache-2.0
// session_threads: how the threads that use a session wake each other, wait for each other, and take turns to read.
//
//     reading_turn      decides which thread may read
//     session_signals   wakes and stops the session's thread
//     first_attempt     the outcome of the first attempt to attach
#pragma once

#include <poll.h>
#include <pthread.h>

#include <boost/thread/thread.hpp>

#include <array>
#include <optional>
#include <utility>

#include "base/mutex.hpp"
#include "core/seam/seam.hpp"
#include "support/descriptor.hpp"
#include "support/poll_time.hpp"
#include "support/wake_up.hpp"
#include "turnstile/error.hpp"

namespace turnstile::redis {

// Wakes and stops the thread of a session.
//
// Thread safety: `wake`, `stop` and `stopped` from any thread, the other members from the session's thread.
class session_signals {
public:
    void wake() noexcept { wake_.set(); }
    // Call this when the session ends. `stop_fd` then stays readable.
    void stop() noexcept { stop_.set(); }
    [[nodiscard]] bool stopped() const noexcept { return support::is_readable(stop_.fd()); }

    [[nodiscard]] int wake_fd() const noexcept { return wake_.fd(); }
    [[nodiscard]] int stop_fd() const noexcept { return stop_.fd(); }
    void clear_wake() noexcept { wake_.clear(); }
    // Waits for work. Returns false at `until`, or when the session ends.
    [[nodiscard]] bool await_work(core::time_point until) {
        while (boottime_clock::now() < until) {
            std::array<pollfd, 2> waited{{{wake_.fd(), POLLIN, 0}, {stop_.fd(), POLLIN, 0}}};
            ::poll(waited.data(), waited.size(), support::milliseconds_until(until));
            if (waited[1].revents != 0) return false;
            if (waited[0].revents == 0) continue;
            wake_.clear();
            return true;
        }
        return false;
    }

private:
    support::wake_up wake_;
    support::wake_up stop_;
};

// The outcome of a session's first attempt to attach. The thread that opens the session waits for it.
//
// Thread safety: all members from any thread.
class first_attempt {
public:
    // Stores the outcome: an error, which the opening thread throws, or nothing. Returns false if an outcome is already
    // stored, or if the opening thread no longer waits.
    bool settle(std::optional<error> why) {
        const base::lock_guard lock{mutex_};
        if (std::exchange(settled_, true)) return false;
        refusal_ = std::move(why);
        changed_.notify_all();
        return true;
    }
    // Waits for the outcome until `deadline`. Later failures are reported as events of the session.
    [[nodiscard]] std::optional<error> await(boottime_clock::time_point deadline) {
        const boost::this_thread::disable_interruption uninterrupted;
        base::unique_lock lock{mutex_};
        while (!settled_ && changed_.wait_until(lock, deadline)) {
        }
        settled_ = true;
        return refusal_;
    }

private:
    base::mutex mutex_;
    base::condition_variable changed_;
    bool settled_ GUARDED_BY(mutex_) = false;
    std::optional<error> refusal_ GUARDED_BY(mutex_);
};

// Decides which thread may read a session's messages (has the *turn*), and provides the descriptors for which the
// threads wait.
//
// | turn of             | from                                    | until                                            |
// |---------------------|-----------------------------------------|--------------------------------------------------|
// | session's thread    | `resume`                                | `rest`, before it waits for work                 |
// | no thread           | `rest`, or a caller's `end_help`        | `resume`, or a caller's `begin_help`             |
// | a caller that helps | `begin_help`                            | `end_help`                                       |
//
// The session's own thread waits for `fd`, which is readable if the connection is readable and no caller reads it. So
// the reply to a caller's request wakes only that caller. docs/why/redis.md explains why this is right.
//
// Thread safety: call all members under the session's lock. `fd` and `leave_fd` are constant and need no lock.
class reading_turn {
public:
    // Throws std::system_error if there are no descriptors left.
    reading_turn();

    // True if the calling thread has the turn to read, or was the last thread that had it.
    [[nodiscard]] bool is_reader() const noexcept {
        return ::pthread_equal(reader_, ::pthread_self()) != 0;
    }

    // ---- functions for the session's own thread ----
    // Makes the calling thread the session's own thread, which is the first to have the turn to read.
    void begin() noexcept { reader_ = own_thread_ = ::pthread_self(); }
    // Makes `fd` readable whenever this connection is readable. Returns false and sets errno if the system has no
    // memory for that.
    [[nodiscard]] bool watch(int connection) noexcept;
    void forget() noexcept;
    // Call this before the session's thread waits for work until `until`. A thread that waits for the reply to its
    // request (a caller) may then read.
    void rest(core::time_point until) noexcept {
        turn_ = turn_of::no_thread;
        rests_until_ = until;
    }
    [[nodiscard]] core::time_point rests_until() const noexcept { return rests_until_; }
    // Gives the turn to read back to the session's thread. If a caller is reading, asks this caller to stop, and waits
    // until it has stopped.
    void resume(base::unique_lock& session);
    [[nodiscard]] int fd() const noexcept { return readable_.get(); }

    // ---- functions for a caller ----
    // Gives the turn to read to the calling thread. Returns false if another thread has the turn, or if the session's
    // thread wants it back.
    [[nodiscard]] bool begin_help() noexcept;
    void end_help() noexcept;
    [[nodiscard]] int connection() const noexcept { return connection_; }
    // Becomes readable when the session's thread wants to read again. The caller must then call end_help().
    [[nodiscard]] int leave_fd() const noexcept { return leave_.fd(); }

private:
    enum class turn_of { own_thread, no_thread, helper };

    const support::descriptor readable_;  // an epoll instance with one connection or none
    support::wake_up leave_;
    base::condition_variable left_;
    int connection_ = -1;
    turn_of turn_ = turn_of::own_thread;
    pthread_t own_thread_{};
    pthread_t reader_{};  // the thread that reads, or that has read last
    core::time_point rests_until_{};
    bool wanted_ = false;  // the session's thread waits for the turn
};

}  // namespace turnstile::redis
