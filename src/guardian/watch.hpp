// SPDX-License-Identifier: Apache-2.0
// watch: all processes that a guardian guards, and all sessions that it is closing. One poll() waits for all of it.
//
// Thread safety: one thread.
#pragma once

#include <poll.h>

#include <chrono>
#include <list>
#include <vector>

#include "guardian/peer.hpp"
#include "guardian/session_end.hpp"
#include "support/descriptor.hpp"

namespace turnstile::guardian {

inline constexpr std::size_t k_most_peers = 256;
// A process has one connection, and one more for each program that it becomes (exec).
inline constexpr std::size_t k_most_of_one_process = 8;
// So many sessions are closed at the same time, the others after them.
inline constexpr std::size_t k_most_ends = 128;

class watch {
public:
    // A process at the other end of a Unix socket; it is refused if it is another user's or has too many already. Where
    // there is no room, the oldest goes that has not said hello.
    void add(support::descriptor socket);
    // Processes that connect to it are added.
    void listen_at(support::descriptor listener) noexcept { listener_ = std::move(listener); }

    // Takes what the processes tell and acts on the end of none: for a guardian that may close nothing yet. One process
    // is accepted in each call, so that no stream of them keeps the caller from its other work.
    void hear();
    // What is readable when there is something to hear. -1 is a socket that has ended.
    [[nodiscard]] std::vector<int> sockets() const;
    // All others that it has of the processes.
    [[nodiscard]] std::vector<int> pidfds_and_files() const;

    // Waits for whatever comes first and handles it. `also`: a descriptor (or -1) that ends the wait, too.
    void turn(int also, std::chrono::milliseconds longest);

    [[nodiscard]] bool guards() const noexcept { return !peers_.empty(); }
    [[nodiscard]] bool closes() const noexcept { return !ends_.empty() || !waiting_.empty(); }

private:
    void fill(int also);
    [[nodiscard]] int wait_at_most(std::chrono::milliseconds longest) const;
    void handle_peers();
    void handle_ends();
    void start_ends();
    // False: no process waits to be accepted.
    bool accept_next();

    support::descriptor listener_;
    std::list<peer> peers_;
    std::vector<guard_session> waiting_;
    std::chrono::steady_clock::time_point waiting_since_{};
    std::list<session_end> ends_;
    std::vector<pollfd> polled_;
};

}  // namespace turnstile::guardian
