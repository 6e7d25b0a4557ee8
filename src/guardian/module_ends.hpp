// SPDX-License-Identifier: Apache-2.0
// module_ends: the processes that end a dead process's sessions with the modules' servers, one process for each session.
//
// The module of the library ends the session, so that there is one implementation of each protocol. The guardian loads
// no module: client libraries block, resolve names, and have threads. A separate process loads it, and the guardian waits
// for the end of that process. The process gives up when the session timeout has passed.
//
// To load the programs and libraries takes longer than the request itself. So one process of each guarded kind waits
// with its module loaded, and the guardian replaces it after its use. It has no session and no connection until then.
//
// Thread safety: one thread.
#pragma once

#include <poll.h>

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "guardian/message.hpp"
#include "support/descriptor.hpp"

namespace turnstile::guardian {

// A process that reads one session from the other end of `socket`, and ends it.
struct end_process {
    support::descriptor process;  // its pidfd; not open: it could not be started
    support::descriptor socket;
};

// Starts such a process for servers of a scheme. It loads the scheme's module before it reads.
using module_end_starter = std::function<end_process(const std::string& scheme)>;

// The starter of the program turnstile-session-end, which is beside this program.
[[nodiscard]] module_end_starter program_beside_this();

enum class end_processes { ahead, when_needed };

class module_ends {
public:
    // `start` empty: the sessions are left to their timeout.
    module_ends(module_end_starter start, end_processes when) noexcept
        : start_{std::move(start)}, when_{when} {}

    // Sessions with servers of this scheme are guarded. Returns false if a process for them could not be started, or
    // ended before it had a session: no further one waits ahead.
    [[nodiscard]] bool prepare(const std::string& scheme);
    void add(guard_module_session&& session);
    // Starts as many as are allowed at a time. Drops the sessions whose timeout has passed.
    void start();
    // Starts the processes that wait, unless a session is left to end: they would compete with its end for the
    // processors.
    void start_ahead();
    // The schemes for which prepare() returns false since the last call.
    [[nodiscard]] std::vector<std::string> take_failures();
    // Adds their pidfds.
    void fill(std::vector<pollfd>& polled) const;
    // Takes note of the processes that have ended.
    void reap();
    // True if no session is left to end.
    [[nodiscard]] bool none() const noexcept { return running_.empty() && waiting_.empty(); }

private:
    struct waiting {
        guard_module_session session;
        std::chrono::steady_clock::time_point give_up;
    };
    struct ahead {
        end_process next;
        bool failed = false;
    };

    void fail(const std::string& scheme, ahead& kind);
    [[nodiscard]] support::descriptor hand_over(const guard_module_session& session);

    module_end_starter start_;
    const end_processes when_;
    std::deque<waiting> waiting_;
    std::list<support::descriptor> running_;
    std::map<std::string, ahead> ahead_;  // by the scheme
    std::vector<std::string> failures_;
};

}  // namespace turnstile::guardian

namespace turnstile::detail {

// The work of such a process: loads the module of the scheme, reads a guard_module_session from the socket and ends the
// session; retries until the session timeout has passed. Returns the exit code. The library has it, and exports it for
// turnstile-session-end and the command.
[[nodiscard]] [[gnu::visibility("default")]] int end_guarded_session(const char* scheme,
                                                                     int socket) noexcept;

}  // namespace turnstile::detail
