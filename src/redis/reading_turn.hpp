// SPDX-License-Identifier: Apache-2.0
// reading_turn: decides which thread reads a session's messages, and has the descriptors with which threads wait.
//
// | turn of             | from                                    | until                                            |
// |---------------------|-----------------------------------------|--------------------------------------------------|
// | the own thread      | `resume`                                | `rest`, before it waits for work                 |
// | no thread           | `rest`, or a caller's `end_help`        | `resume`, or a caller's `begin_help`             |
// | a caller that helps | `begin_help`                            | `end_help`                                       |
//
// The session's own thread waits for `fd`. It is readable if the connection is, but not while a caller reads: so an
// answer to a caller wakes only that caller. docs/why/redis.md has the argument.
//
// Thread safety: all members under the session's lock, except `fd` and `leave_fd`, which are constant.
#pragma once

#include "base/mutex.hpp"
#include "base/wake_up.hpp"
#include "support/descriptor.hpp"

namespace turnstile::redis {

class reading_turn {
public:
    // Throws std::system_error if there are no descriptors left.
    reading_turn();

    // ---- for the session's own thread ----
    // From now on watches this connection. Returns false, with errno, if the system has no memory for that.
    [[nodiscard]] bool watch(int connection) noexcept;
    void forget() noexcept;
    void rest() noexcept { turn_ = turn_of::no_thread; }
    // Makes a helping caller leave, and waits until it has.
    void resume(base::unique_lock& session);
    [[nodiscard]] int fd() const noexcept { return readable_.get(); }

    // ---- for a caller ----
    // Returns false if another thread has the turn, or the session's thread waits for it.
    [[nodiscard]] bool begin_help() noexcept;
    void end_help() noexcept;
    [[nodiscard]] int connection() const noexcept { return connection_; }
    // Readable when the session's thread wants its turn.
    [[nodiscard]] int leave_fd() const noexcept { return leave_.fd(); }

private:
    enum class turn_of { own_thread, no_thread, helper };

    const support::descriptor readable_;  // an epoll instance with the connection, or with none
    base::wake_up leave_;
    base::condition left_;
    int connection_ = -1;
    turn_of turn_ = turn_of::own_thread;
    bool wanted_ = false;  // by the session's thread
};

}  // namespace turnstile::redis
