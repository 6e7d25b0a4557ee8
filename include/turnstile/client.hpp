// SPDX-License-Identifier: Apache-2.0
// client: a program's access to its servers: ZooKeeper, Redis, a database, or memory. The client owns the program's
// sessions with them.
//
// Make one client for each set of servers, and pass it to every lock on these servers. A client opens one or more
// sessions. When the servers expire a session, the client opens a new one and notifies its listeners.
//
//     turnstile::client servers{"zk1:2181,zk2:2181,zk3:2181/shop", {.session_timeout = 30s}};
//     turnstile::mutex orders{servers, "/locks/orders"};
//
// With the connect string "local:" (or "local:name", "local:name/chroot") the locks are inside this process, without a
// server.
//
// Threads: a client starts four threads, or uses the threads of a `runtime` (runtime.hpp). The four threads are for
// timers, for callbacks, for opening and closing connections, and for the stop callbacks of lost holds. If tasks of the
// last two kinds block, the client starts more threads for that kind, up to 32. A stop callback that blocks occupies
// its thread; while 32 stop callbacks block, the next stop callback waits. Connections need further threads: two for
// each session with ZooKeeper (threads of its C client), one for each session with Redis or a database. Locks and
// waiters need no threads.
//
// Signals. User code runs with the signal mask of the thread that made the client or the client's runtime. No thread
// blocks the signals that report a fault, like SIGSEGV.
//
// Fork. In a forked child, a call on a client of the parent process, or on a lock or guard of such a client, never
// blocks. The call reports the error `forked`, or has no effect and returns an empty value. Make a new client in the
// child. If the parent has opened a `sqlite:` file, a `sqlite:` client works in the child only after exec().
//
// Thread safety: any thread may call any member.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "turnstile/client_options.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/export.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/result.hpp"
#include "turnstile/server_role.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile {

namespace detail {
class internals;
class registration;
}  // namespace detail

// The state of one session at the instant at which client::session() was called.
struct session_info {
    session_state state = session_state::connecting;  // state of the session
    std::uint64_t epoch = 0;  // number of the session, counted from 1; 0 before the first one
    std::int64_t id = 0;      // the servers' id of the session; 0 without a session
    std::chrono::milliseconds timeout{};  // the negotiated session timeout; 0 while it is unknown
    std::string server{};  // "host:port" of the server that the session is connected to, or empty
    server_role role = server_role::unknown;  // the role of that server
    std::size_t owned_bytes = 0;  // total length of the paths of the znodes that the session owns
    // The present time on the servers' wall clock, which may differ from this machine's by hours. The client reads that
    // clock when it opens the session, and adds the time that has passed since. Empty if there is no session, or if no
    // server gave the time (ZooKeeper before 3.6, or an ACL on /zookeeper).
    std::optional<std::chrono::system_clock::time_point> servers_time{};
};

// Counts of events of a client's contenders (znodes in queues), over all sessions since the client's construction. The
// client does not count a call that fails before the call has a contender. The client also does not count a grant that
// one thread of the process hands over to another thread (retain_for and cohort in lock_options.hpp).
struct client_counters {
    // Contenders that entered a queue. Each of them later also increases `granted` or `failed`, and increases `gone`
    // when it ends.
    std::uint64_t entered = 0;
    std::uint64_t granted = 0;
    std::uint64_t failed = 0;
    // Grants that ended without a release.
    std::uint64_t lost = 0;
    // Contenders that have ended, for any reason.
    std::uint64_t gone = 0;
    // Contenders that had to wait, because other contenders were ahead of them.
    std::uint64_t waited = 0;
    guardian_state guardian = guardian_state::off;  // the present state, not a count
    friend bool operator==(const client_counters&, const client_counters&) = default;
};

// A handle of a listener's registration. The destructor of the handle ends the registration. The destructor waits for a
// call of the listener that is in progress, unless the listener itself destroys the handle.
class TURNSTILE_EXPORT listener_handle {
public:
    listener_handle() noexcept;  // refers to no listener
    ~listener_handle();
    listener_handle(listener_handle&&) noexcept;
    // Takes over the registration of `other`, and ends the registration that this handle had before.
    listener_handle& operator=(listener_handle&& other) noexcept;
    listener_handle(const listener_handle&) = delete;
    listener_handle& operator=(const listener_handle&) = delete;
    // Ends the registration now.
    void reset() noexcept;

private:
    friend class detail::internals;
    explicit listener_handle(detail::registration* registration) noexcept;

    detail::owned<detail::registration> registration_;
};

// A program's access to one set of servers.
class TURNSTILE_EXPORT client {
public:
    // Starts to connect in the background, and returns at once. The client also resolves the host names in the
    // background, and tries again until it succeeds. If `client_options::require` is set, the constructor first asks a
    // Redis, PostgreSQL or MariaDB server for its promises, and blocks as long as promises() does. A ZooKeeper connect
    // string names at most 64 servers.
    //
    // Throws std::system_error: `bad_connect_string`; `bad_option` (the message names the value and the rule); `forked`
    // (the runtime of the options belongs to the parent process); or the system's code if threads or descriptors run
    // out.
    explicit client(std::string_view connect_string, client_options options = {});
    // Makes a client from a C string, like the result of std::getenv(). Throws `bad_connect_string` for a null pointer.
    explicit client(const char* connect_string, client_options options = {});
    explicit client(std::nullptr_t, client_options options = {}) = delete;
    // Makes a client from the environment, as the command `turnstile` does. The connect string comes from the variable
    // TURNSTILE_SERVERS, or else from the first line of the file that TURNSTILE_SERVERS_FILE names. Only the file's
    // owner may have access to the file. Also throws `bad_connect_string` if neither variable is set, or if the file
    // cannot be used. Do not call this function while another thread changes the environment.
    [[nodiscard]] static client from_environment(client_options options = {});
    // Calls close().
    ~client();
    // A client that was moved from behaves like a closed client, and has no session.
    client(client&&) noexcept;
    client& operator=(client&&) noexcept;
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    // Waits until the first session is connected, at most until `deadline`. The call is a Boost interruption point.
    // Errors:
    // - `not_connected`: no server answered in time. The message names the servers that the client tried.
    // - `unresolvable`: no host name could be resolved in time. The message names the hosts.
    // - `no_chroot`: the connect string's chroot does not exist.
    // - `server_too_old`: the servers lack a request that locks need.
    result<void> wait_connected(boottime_clock::time_point deadline);
    template <duration_like D>
    result<void> wait_connected(const D& timeout) {
        return wait_connected(boottime_clock::now() + to_nanoseconds(timeout));
    }
    template <time_point_like T>
    result<void> wait_connected(const T& time) {
        return wait_connected(left_until(time));
    }

    // Returns the state of the first session.
    [[nodiscard]] session_state state() const;
    // Returns the number of sessions.
    [[nodiscard]] std::size_t session_count() const;
    // Returns the present state of the session with this index, counted from 0.
    [[nodiscard]] session_info session(std::size_t index = 0) const;

    // Returns the promises that the servers of the connect string give for every lock (promises.hpp). For a closed
    // client the result is `promises{}`, which promises nothing.
    //
    // For Redis, PostgreSQL and MariaDB each call asks the server over a new connection. The call blocks until the
    // server has answered, for at most 3 s and the time to resolve the server's name. If a Redis or MariaDB server does
    // not answer, the result has the weakest promises of that kind of server. If a PostgreSQL server does not answer,
    // the result assumes `fsync = on`.
    [[nodiscard]] turnstile::promises promises() const;

    // Returns the client's counts, for metrics. Each number is exact by itself, but the numbers are not all read at one
    // instant.
    [[nodiscard]] client_counters counters() const;

    // Calls `listener` with every later change of a session's state, in order, on the callbacks' executor, until the
    // handle is destroyed. A listener that is added to a closed client receives the change to `closed`; if close() has
    // returned already, the listener receives it before this call returns. Throws `bad_option` for an empty listener.
    [[nodiscard]] listener_handle on_change(std::function<void(const session_change&)> listener);

    // Ends every wait with `closed`, gives up every hold, removes the znodes, and ends the sessions.
    //
    // close() waits up to `close_timeout` until the servers confirm the removals. Znodes that remain after that time
    // end with their session. close() also waits for the following:
    // - The end of each connection; the client ends the connections of at most 32 sessions at a time. If the servers
    //   answer, this wait is short. ZooKeeper servers that do not answer delay close() by at most 5.5 s: 1 s for the
    //   answers to earlier requests, 3 s until the system has sent the data, 1.5 s for the answer. Other kinds of
    //   servers that do not answer delay close() by some seconds.
    // - A host name that is being resolved.
    // - Callbacks, and stop callbacks of `lost()`, that run or are queued. If the client's options have an executor,
    //   close() waits for the executor's queued callbacks up to `close_timeout` again, see `executor`.
    // - The function for log lines, if it blocks: at most one second (set_log_sink() in log.hpp).
    //
    // If ZooKeeper servers do not answer, close() still returns within `close_timeout` + 5.5 s, provided that none
    // of your callbacks blocks and no name is being resolved.
    //
    // Any thread and any callback may call close(), more than once. If a callback calls close(), close() does not wait
    // for that callback, and queued callbacks run after that callback has returned. If a callback calls close() while
    // another thread closes the client, the call returns at once.
    void close() noexcept;

private:
    friend class detail::internals;
    [[nodiscard]] bool usable() const noexcept;

    class inside;
    detail::owned<inside> inside_;
};

}  // namespace turnstile
