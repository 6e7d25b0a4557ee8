// SPDX-License-Identifier: Apache-2.0
// deadlock_detector: finds waits for locks that can never end, and ends them.
//
// Purpose: A holds "/locks/a" and waits for "/locks/b", B holds "/locks/b" and waits for "/locks/a".
// Time-outs end that, late; a fixed order of the locks or multi_lock avoids it. Where neither will do,
// this finds the cycle from what the contenders wrote about themselves:
//
//     turnstile::deadlock_detector detector{servers, {"/locks/a", "/locks/b"}};
//     for (const auto& found : detector.find().value()) log(found.to_string());
//     auto hold = detector.acquire(a);   // would_deadlock: it is for this call to step back
//     auto folder = turnstile::deadlock_detector::below(servers, "/locks");   // all locks of a folder
//
// What waits for what: a waiter waits for all contenders ahead of it in the queue of an exclusive lock. The
// owner of a contender: `contender_metadata::owner`. By default that is the thread that called a blocking
// acquire(); so give `acquire_options::owner` a name of your own
//   - in asynchronous acquisitions and coroutines: no thread stands for them, and without a name they
//     have no owner, and are never part of a cycle (as are contenders of other libraries),
//   - where guards move between threads: the thread that acquired is not the one that will release.
// An owner is one line of execution: while it waits it does nothing else. Owners of the same name in
// different processes are the same one.
//
// A reported cycle is a true one: it is looked at twice, and each znode of it must be there both times,
// so that all of them were there at the instant between. What can be wrong in it is named in
// docs/why/deadlocks.md. How to use it: docs/how-to/deadlocks.md.
//
// Cost: find() lists each lock's folder, and reads the contenders of those that have a waiter. Nothing
// runs in the background, and acquire() looks only when it has waited for a while in vain.
//
// Thread safety: const members from any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// One owner in a cycle: it waits for the next one, the last for the first.
struct deadlock_member {
    std::string owner;   // contender_metadata::owner
    std::string holds;   // the lock's path
    contender holding;   // its znode there. Position 0 holds; another is itself in the way of the
                         // one before this, ahead in the queue
    std::string awaits;  // the path of the lock that it waits for
    contender waiting;   // its znode there: host, pid, thread, label and since in its metadata
};

struct deadlock {
    // The newest waiter, the one whose wait closed the cycle, comes first. One member waits for itself.
    std::vector<deadlock_member> members;

    // "web1 pid 12 thread 13 (orders) holds /locks/a and waits for /locks/b since
    // 2026-11-21T04:38:36Z; web2 pid 7 ...", with control characters of labels as \xNN
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;
};

struct deadlock_options {
    // How long acquire() waits with its place in the queue unchanged before it looks, and looks again.
    // Must be positive. PostgreSQL's deadlock_timeout has the same default, for the same reason: most
    // waits end sooner, and a look costs more than a little wait.
    std::chrono::milliseconds look_after{1'000};
};

class TURNSTILE_EXPORT deadlock_detector {
public:
    // For locks that are known. Throws std::system_error: bad_path, bad_option, closed (a client that
    // was moved from). Sends nothing.
    deadlock_detector(const client& servers, std::vector<std::string> paths,
                      deadlock_options options = {});
    // For all locks in `folder`, however deep, as they are at each look.
    [[nodiscard]] static deadlock_detector below(const client& servers, std::string_view folder,
                                                 deadlock_options options = {});
    ~deadlock_detector();
    deadlock_detector(deadlock_detector&&) noexcept;
    deadlock_detector& operator=(deadlock_detector&&) noexcept;

    // The cycles that stand, one for each wait that closed one; none is no error. Errors: timeout,
    // not_connected, cancelled, interrupted, closed, forked, auth_failed, no_permission, protocol;
    // too_many (folders below the one that was given).
    [[nodiscard]] result<std::vector<deadlock>> find(const query_options& options = {}) const;

    // As lock.acquire(options), and gives up with `would_deadlock` when this wait is the newest of a
    // cycle, the one with the largest czxid: so of each cycle exactly one gives up, if all members
    // acquire so; the others go on waiting for what it will release. A caller that gets `would_deadlock`
    // must release what it holds, and may then begin again. Where cycles overlap, the newest of each
    // gives up, which may be one more than needed.
    //
    // Without `options.owner` the owner is the calling thread. bad_option: the detector does not look at
    // this lock's path. no_permission, protocol, too_many: it cannot look; the lock was not taken. Errors
    // of a look that may pass (timeout, not_connected) only put it off. A Boost interruption point. Not
    // for callbacks of the client (bad_option).
    result<guard> acquire(mutex& lock, acquire_options options = {}) const;

private:
    class state;
    explicit deadlock_detector(const state* looks) noexcept;

    detail::owned<const state> state_;
};

}  // namespace turnstile
