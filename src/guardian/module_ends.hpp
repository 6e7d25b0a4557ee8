// SPDX-License-Identifier: Apache-2.0
// module_ends: ends those sessions of a dead process that use a module. A module is a separate library for one kind of
// server, such as Redis. module_ends starts one helper process for each session.
//
// The helper process loads the module, so that each protocol is implemented only once. The guardian itself loads no
// module, because client libraries block, resolve names and start threads. A helper gives up when the session timeout
// has passed.
//
// Loading the program and its libraries takes longer than ending a session. So for each guarded scheme one helper waits
// with its module loaded, but without a connection. When this helper has got a session to end, the guardian starts
// another helper that waits.
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

// A helper: a process that reads one session from the other end of `socket`, and ends that session.
struct end_process {
    support::descriptor process;  // its pidfd; not open: the start failed
    support::descriptor socket;
};

// A function that starts a helper process for sessions of a scheme. The helper loads the scheme's module before it
// reads the session.
using module_end_starter = std::function<end_process(const std::string& scheme)>;

// Returns a function that starts the program turnstile-session-end, which is in the folder of this program.
[[nodiscard]] module_end_starter program_beside_this();

enum class end_processes { ahead, when_needed };

class module_ends {
public:
    // If `start` is empty, this class starts no helper processes, and the sessions last until their timeout.
    module_ends(module_end_starter start, end_processes when) noexcept
        : start_{std::move(start)}, when_{when} {}

    // Call this when the guardian begins to guard a session with this scheme. Returns false if the helper process that
    // should wait for a session of this scheme could not be started, or has ended without a session. Then no further
    // helper waits for this scheme.
    [[nodiscard]] bool prepare(const std::string& scheme);
    void add(guard_module_session&& session);
    // Starts helper processes for the sessions that must be ended, up to the limit. Drops sessions whose timeout has
    // passed.
    void start();
    // Starts the helper processes that wait for later sessions. Does nothing while a session must still be ended: the
    // new helpers would compete for the processors with the helper that ends the session.
    void start_ahead();
    // Returns the schemes whose helper processes have failed since the last call. prepare() returns false for these
    // schemes.
    [[nodiscard]] std::vector<std::string> take_failures();
    void fill(std::vector<pollfd>& polled) const;
    void reap();
    // True if no session remains to be ended.
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
