// SPDX-License-Identifier: Apache-2.0
// reading_turn: whose turn it is to read what a session's server sends, and what either side waits with.
//
// | turn of             | from                                    | until                                            |
// |---------------------|-----------------------------------------|--------------------------------------------------|
// | the own thread      | `resume`                                | `rest`, before it waits for something to do      |
// | no thread           | `rest`, or a caller's `end_help`        | `resume`, or a caller's `begin_help`             |
// | a caller that helps | `begin_help`                            | `end_help`                                       |
//
// What the session's own thread waits for is `fd`: it is readable where the connection is, but not while a caller reads.
// So an answer to a caller wakes that caller alone. docs/why/redis.md has the argument.
//
// Thread safety: all members under the session's lock, but `fd` and `leave_fd`, which are constant.
#pragma once

#include "base/mutex.hpp"
#include "base/wake_up.hpp"
#include "support/descriptor.hpp"

namespace turnstile::redis {

class reading_turn {
public:
    // Throws std::system_error for want of descriptors.
    reading_turn();

    // ---- for the session's own thread ----
    // The connection that is to be read from now on. False, with errno, where the system has no memory for that.
    [[nodiscard]] bool watch(int connection) noexcept;
    void forget() noexcept;
    void rest() noexcept { turn_ = turn_of::no_thread; }
    // Asks a caller that helps to leave, and waits until it has.
    void resume(base::unique_lock& session);
    [[nodiscard]] int fd() const noexcept { return readable_.get(); }

    // ---- for a caller ----
    // False if another thread has the turn, or the own one waits for it.
    [[nodiscard]] bool begin_help() noexcept;
    void end_help() noexcept;
    [[nodiscard]] int connection() const noexcept { return connection_; }
    // Readable when the own thread wants its turn.
    [[nodiscard]] int leave_fd() const noexcept { return leave_.fd(); }

private:
    enum class turn_of { own_thread, no_thread, helper };

    const support::descriptor readable_;  // an epoll instance with the connection, or with none
    base::wake_up leave_;
    base::condition left_;
    int connection_ = -1;
    turn_of turn_ = turn_of::own_thread;
    bool wanted_ = false;  // by the own thread
};

}  // namespace turnstile::redis
