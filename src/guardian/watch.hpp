// SPDX-License-Identifier: Apache-2.0
// watch: all guarded processes of a guardian, and all sessions that it is closing. One poll() waits for all of them.
//
// Thread safety: one thread.
#pragma once

#include <poll.h>

#include <chrono>
#include <deque>
#include <list>
#include <vector>

#include "guardian/module_ends.hpp"
#include "guardian/peer.hpp"
#include "guardian/session_end.hpp"
#include "support/descriptor.hpp"

namespace turnstile::guardian {

inline constexpr std::size_t k_most_peers = 256;
// A process has a connection for itself, and a further one for each program that it becomes (exec).
inline constexpr std::size_t k_most_of_one_process = 8;
// The most sessions that are closed at a time; the others wait.
inline constexpr std::size_t k_most_ends = 128;

class watch {
public:
    // `ends`: starts the processes that end sessions with the modules' servers.
    explicit watch(module_end_starter ends = {},
                   end_processes when = end_processes::when_needed) noexcept
        : module_ends_{std::move(ends), when} {}

    // Adds the process at the other end of a Unix socket. Refuses a process of another user, and a process that has too
    // many connections already. If there is no room, drops the oldest process that has not said hello.
    void add(support::descriptor socket);
    // Adds every process that connects to `listener`.
    void listen_at(support::descriptor listener) noexcept { listener_ = std::move(listener); }

    // Reads messages, but acts on the end of no process: for a guardian that may not close sessions yet. Each call
    // accepts one process, so that a stream of new processes cannot delay the caller's other work.
    void hear();
    // The descriptors that are readable when a message has come. -1 is a socket that has ended.
    [[nodiscard]] std::vector<int> sockets() const;
    // Returns all other descriptors that the guardian keeps for the processes.
    [[nodiscard]] std::vector<int> pidfds_and_files() const;

    // Waits for the next event and handles it. `also`: a further descriptor (or -1) that ends the wait.
    void turn(int also, std::chrono::milliseconds longest);

    [[nodiscard]] bool guards() const noexcept { return !peers_.empty(); }
    [[nodiscard]] bool closes() const noexcept {
        return !ends_.empty() || !waiting_.empty() || !module_ends_.none();
    }

private:
    struct waiting {
        guard_session session;
        time_point died;
    };

    void fill(int also);
    [[nodiscard]] int wait_at_most(std::chrono::milliseconds longest) const;
    void handle_peers();
    void handle_ends();
    void start_ends();
    // Accepts one process. Returns false if no process is waiting.
    bool accept_next();

    support::descriptor listener_;
    std::list<peer> peers_;
    std::deque<waiting> waiting_;  // the oldest first
    std::list<session_end> ends_;
    module_ends module_ends_;
    std::vector<pollfd> polled_;
};

}  // namespace turnstile::guardian
