// SPDX-License-Identifier: Apache-2.0
// runtime: threads that several clients of a process share.
//
// Use it in a program with many clients, which would otherwise start four threads for each client; or to choose the
// names, processors and priorities of the threads.
//
//     const auto shared = turnstile::runtime::start();
//     turnstile::client orders{"zk1:2181,zk2:2181,zk3:2181", {.runtime = shared}};
//     turnstile::client stock{"zk7:2181,zk8:2181,zk9:2181", {.runtime = shared}};
//
// A client without a runtime has its own threads. With or without a runtime a client keeps these promises:
// - A callback that blocks delays the other callbacks of its client, but no callback of another client. Closing a
//   client does not wait for callbacks of another client.
// - Callbacks of one client run in order, one at a time, though not always on the same thread. The clients take turns.
// - The thread for timers runs no callback, so no callback delays the end of a lease. The stop callbacks of lost holds
//   run on separate threads.
//
// Limit. If the system can start no further thread, clients of a runtime wait for each other's callbacks.
//
// Connections have their own threads, which are not shared: two for each session with ZooKeeper (threads of its C
// client), one for each session with a Redis server or a database, and one for each name of the `local:` connect
// strings.
//
// User code on these threads runs with the signal mask of the thread that made the runtime. After fork() a child cannot
// use its copy of the runtime (`forked`): make a new runtime in the child.
//
// Thread safety: a handle is as safe as an int. Clients of any thread may use the runtime.
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

// The task of a thread. `timers`: wakes sessions at their deadlines. `callbacks`: runs handlers, listeners and
// callbacks. `work`: opens and closes connections, and runs calls that block. `loss_callbacks`: runs the stop callbacks
// of lost holds.
enum class thread_duty { timers, callbacks, work, loss_callbacks };

// Describes a thread to the function runtime_options::around.
struct runtime_thread {
    thread_duty duty = thread_duty::callbacks;  // task of the thread
    std::string_view name;                      // name of the thread, as ps and gdb show it
};

// The options of a runtime.
struct runtime_options {
    // The threads are called NAME-timer, NAME-call, NAME-work and NAME-loss. NAME has 1 to 9 bytes, because Linux shows
    // only 15 bytes of a thread's name.
    std::string name = "turnstile";
    // The largest number of threads of each kind. (Timers have exactly one thread.) One thread of each kind always
    // exists; further threads start when more tasks run at the same time. A thread that has run one task for 50 ms
    // counts as blocked. Blocked threads do not count towards this number, so more threads exist while many are
    // blocked. At least 1.
    unsigned threads = 32;
    // Called on each thread at its start. The function must call `work` once; it may do something before and after (set
    // an affinity or a priority, register with a profiler).
    //
    // The library logs an exception that the function throws. If the function throws or returns before it has called
    // `work`, the library calls `work` itself. The function must not block, because the thread does nothing else
    // meanwhile. After `work`, and in destructors of the thread's thread_local objects, do not destroy the last client
    // or the last handle of the runtime: the thread would wait for its own end. On the timers' thread all signals are
    // blocked. The other threads have the signal mask of the thread that made the runtime.
    std::function<void(const runtime_thread& thread, const std::function<void()>& work)> around{};
};

// A handle of a set of threads. Copies refer to the same threads.
class TURNSTILE_EXPORT runtime {
public:
    runtime() noexcept;  // refers to no threads
    // Starts one thread of each kind. Throws std::system_error: `bad_option` (the message names the value and the
    // rule), or the system's code if threads or descriptors run out.
    [[nodiscard]] static runtime start(const runtime_options& options = {});
    // Destroys the handle. The threads end when the last handle and the last client that uses them have been destroyed.
    ~runtime();
    runtime(const runtime& other);
    runtime(runtime&& other) noexcept;
    runtime& operator=(const runtime& other);
    runtime& operator=(runtime&& other) noexcept;

    // Returns true if the handle refers to threads.
    explicit operator bool() const noexcept { return static_cast<bool>(inside_); }

private:
    friend class detail::internals;
    class inside;
    explicit runtime(inside* threads) noexcept;

    detail::owned<inside> inside_;
};

}  // namespace turnstile
