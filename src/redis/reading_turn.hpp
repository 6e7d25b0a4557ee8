// SPDX-License-Identifier: Apache-2.0
// reading_turn: decides which thread may read a session's messages (has the *turn*), and provides the descriptors for
// which the threads wait.
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
#pragma once

#include <pthread.h>

#include "base/mutex.hpp"
#include "base/wake_up.hpp"
#include "core/seam/seam.hpp"
#include "support/descriptor.hpp"

namespace turnstile::redis {

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
    base::wake_up leave_;
    base::condition_variable left_;
    int connection_ = -1;
    turn_of turn_ = turn_of::own_thread;
    pthread_t own_thread_{};
    pthread_t reader_{};  // the thread that reads, or that has read last
    core::time_point rests_until_{};
    bool wanted_ = false;  // the session's thread waits for the turn
};

}  // namespace turnstile::redis
