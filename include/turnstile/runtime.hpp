// SPDX-License-Identifier: Apache-2.0
// runtime: the threads that several clients of a process share.
//
// Purpose: a program with many clients does not have four threads for each of them; and its threads have the names,
// processors and priorities that it gives them.
//
//     const auto shared = turnstile::runtime::start();
//     turnstile::client orders{"zk1:2181,zk2:2181,zk3:2181", {.runtime = shared}};
//     turnstile::client stock{"zk7:2181,zk8:2181,zk9:2181", {.runtime = shared}};
//
// A client without one has threads of its own. Shared or not, what the clients promise is the same:
// - A callback that blocks holds up the other callbacks of its client, and nothing of another one; nor does closing a
//   client wait for callbacks of another.
// - Callbacks of one client run in order, one at a time, though not always on the same thread. Each client in turn has
//   some of its callbacks run.
// - Timers have a thread that runs no callback: no callback delays the end of a lease. What a lost hold's stop token
//   calls runs on threads apart from the other callbacks'.
//
// What sharing costs: on a system that can start no further thread, clients of a runtime wait for each other's
// callbacks. Not shared are the threads of connections: two of the ZooKeeper client's for each session, one for each
// session with a Redis server or a database, one for each tree of `local:`.
//
// User code on these threads has the signal mask of the thread that made the runtime. After fork() a child's copy of it
// cannot be used (`forked`): make a new one there.
//
// Thread safety: a handle as an int; what it stands for, any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/owned.hpp"

namespace turnstile {

namespace detail {
class internals;
}  // namespace detail

// What a thread of a runtime does: wakes sessions at their deadlines; runs handlers, listeners and callbacks; opens and
// closes connections, and makes calls that wait; runs the stop callbacks of lost holds.
enum class thread_duty { timers, callbacks, work, loss_callbacks };

struct runtime_thread {
    thread_duty duty = thread_duty::callbacks;
    std::string_view name;  // as ps and gdb show it
};

struct runtime_options {
    // Its threads are called NAME-timer, NAME-call, NAME-work and NAME-loss. 1 to 9 bytes: Linux shows 15.
    std::string name = "turnstile";
    // How many threads there are of each kind (of timers one), once as much is to be done at the same time; one is
    // always there. Those that have been in one task for 50 ms are taken for blocked and do not count: so there are
    // more while many block. At least 1.
    unsigned threads = 32;
    // Called on each thread as it begins, with the thread's work: calls `work` there, once, and may do something before
    // and after (set an affinity or a priority, register with a profiler). What it throws is logged; if it has not
    // called `work` by then, or returns without, that is called after it. It must not block: nothing is done on
    // that thread meanwhile. Behind `work`, and in the destructors of these threads' thread_local objects, the last
    // client and handle of the runtime must not end: they would wait for themselves. On the timers' thread all signals
    // are blocked, on the others none but those that were blocked where the runtime was made.
    std::function<void(const runtime_thread& thread, const std::function<void()>& work)> around{};
};

// A handle: copies are the same threads.
class TURNSTILE_EXPORT runtime {
public:
    runtime() noexcept;  // none
    // Starts a thread of each kind. Throws std::system_error: bad_option (the message names the value and the rule), or
    // the system's code for want of threads or descriptors.
    [[nodiscard]] static runtime start(const runtime_options& options = {});
    // The threads end with the last handle and the last client, whichever is later.
    ~runtime();
    runtime(const runtime& other);
    runtime(runtime&& other) noexcept;
    runtime& operator=(const runtime& other);
    runtime& operator=(runtime&& other) noexcept;

    explicit operator bool() const noexcept { return static_cast<bool>(inside_); }

private:
    friend class detail::internals;
    class inside;
    explicit runtime(inside* threads) noexcept;

    detail::owned<inside> inside_;
};

}  // namespace turnstile
