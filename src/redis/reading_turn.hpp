// SPDX-License-Identifier: Apache-2.0
// reading_turn: whose turn it is to read what a session's server sends (thread_turn.hpp), and what either waits with.
//
// What the session's own thread waits for is `fd`: it is readable where the connection is, but not while a caller reads.
// So an answer to a caller wakes that caller alone.
//
// Thread safety: all members under the session's lock, but `fd` and `leave_fd`, which are constant.
#pragma once

#include "base/descriptor.hpp"
#include "base/mutex.hpp"
#include "base/wake_up.hpp"
#include "local/thread_turn.hpp"

namespace turnstile::redis {

class reading_turn {
public:
    // Throws std::system_error for want of descriptors.
    reading_turn();

    // ---- for the session's own thread ----
    // The connection that is to be read from now on. False, with errno, where the system has no memory for that.
    [[nodiscard]] bool watch(int connection) noexcept;
    void forget() noexcept;
    void rest() noexcept { turn_.rest(); }
    // Asks a caller that helps to leave, and waits until it has.
    void resume(base::unique_lock& session);
    [[nodiscard]] int fd() const noexcept { return readable_.get(); }

    // ---- for a caller ----
    // False if it is not nobody's turn.
    [[nodiscard]] bool begin_help() noexcept;
    void end_help() noexcept;
    [[nodiscard]] int connection() const noexcept { return connection_; }
    // Readable when the own thread wants its turn.
    [[nodiscard]] int leave_fd() const noexcept { return leave_.fd(); }

private:
    const base::descriptor readable_;  // an epoll instance with the connection, or with none
    base::wake_up leave_;
    int connection_ = -1;
    local::thread_turn turn_;
};

}  // namespace turnstile::redis
