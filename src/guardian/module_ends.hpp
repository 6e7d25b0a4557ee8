// SPDX-License-Identifier: Apache-2.0
// module_ends: the processes that end a dead process's sessions with the modules' servers, one process for each
// session.
//
// The module of the library ends the session, so that there is one implementation of each protocol. The guardian loads
// no module: client libraries block, resolve names, and have threads. A separate process loads it, and the guardian
// waits for the end of that process. The process gives up when the session timeout has passed.
//
// Loading the program and its libraries takes longer than the request itself. So for each guarded scheme one process
// waits with its module loaded. The guardian replaces that process after its use. The process has no session and no
// connection until then.
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

// A process that reads one session from the other end of `socket`, and ends that session.
struct end_process {
    support::descriptor process;  // its pidfd; not open: it could not be started
    support::descriptor socket;
};

// Starts such a process for servers of a scheme. The process loads the scheme's module before it reads.
using module_end_starter = std::function<end_process(const std::string& scheme)>;

// The starter of the program turnstile-session-end, which is beside this program.
[[nodiscard]] module_end_starter program_beside_this();

enum class end_processes { ahead, when_needed };

class module_ends {
public:
    // If `start` is empty, no process is started, and the servers expire the sessions at their timeout.
    module_ends(module_end_starter start, end_processes when) noexcept
        : start_{std::move(start)}, when_{when} {}

    // Call it when a session with servers of this scheme is guarded. Returns false if the waiting process of this
    // scheme could not be started, or ended before it had a session. Then no further process of this scheme is started
    // ahead.
    [[nodiscard]] bool prepare(const std::string& scheme);
    void add(guard_module_session&& session);
    // Starts as many processes as may run at a time. Drops the sessions whose timeout has passed.
    void start();
    // Starts the processes that wait ahead. Does nothing while a session is left to end: the new processes would
    // compete with that session's end for the processors.
    void start_ahead();
    // The schemes for which prepare() returns false since the last call.
    [[nodiscard]] std::vector<std::string> take_failures();
    // Adds the pidfds of all these processes to `polled`.
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

// The work of such a process: loads the module of the scheme, reads a guard_module_session from the socket, and ends
// the session. Retries until the session timeout has passed. Returns the exit code. The library contains and exports
// this function, for turnstile-session-end and for the command.
[[nodiscard]] [[gnu::visibility("default")]] int end_guarded_session(const char* scheme,
                                                                     int socket) noexcept;

}  // namespace turnstile::detail
