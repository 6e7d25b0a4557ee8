// SPDX-License-Identifier: Apache-2.0
// guardian_loop: a guardian's event loop. One poll() waits for all guarded processes, and for all connections on which
// the guardian closes sessions of dead processes.
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
// A process may have one connection for itself, and another for each program that it has become (exec).
inline constexpr std::size_t k_most_of_one_process = 8;
// The largest number of sessions that are closed at the same time. Further sessions wait.
inline constexpr std::size_t k_most_ends = 128;

class guardian_loop {
public:
    // `ends`: starts the helper processes that end the sessions that use a module, a separate library for one kind of
    // server.
    explicit guardian_loop(module_end_starter ends = {},
                           end_processes when = end_processes::when_needed) noexcept
        : module_ends_{std::move(ends), when} {}

    // Adds the process at the other end of a Unix socket. Refuses a process of another user, and a process that already
    // has too many connections. If there is no space, drops the oldest process that has not sent its first message.
    void add(support::descriptor socket);
    // Adds every process that connects to `listener`.
    void listen_at(support::descriptor listener) noexcept { listener_ = std::move(listener); }

    // Reads messages, but ends no sessions: for a guardian that may not end sessions yet. Each call accepts only one
    // process, so that many new processes cannot delay the caller.
    void hear();
    // The processes' sockets, which are readable when a message has arrived; -1 for a closed socket.
    [[nodiscard]] std::vector<int> sockets() const;
    // Returns the pidfds of the guarded processes, and the guardian's copies of the processes' descriptors (keep_open).
    [[nodiscard]] std::vector<int> pidfds_and_files() const;

    // Waits for the next event and handles it. `also`: another descriptor (or -1) that ends the wait.
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
