// SPDX-License-Identifier: Apache-2.0
// client: the sessions of a program with its servers: ZooKeeper, Redis, a database, or memory.
//
// Make one client for each set of servers, and pass it to every lock on these servers. A client opens one or more
// sessions. When the servers expire a session, the client opens a new one and notifies its listeners.
//
//     turnstile::client servers{"zk1:2181,zk2:2181,zk3:2181/shop", {.session_timeout = 30s}};
//     turnstile::mutex orders{servers, "/locks/orders"};
//
// The connect string "local:" (or "local:name", "local:name/chroot") gives locks inside this process, without a server.
//
// Threads: a client starts four threads, or uses the threads of a `runtime` (runtime.hpp). The four are one for timers,
// one for callbacks, one for opening and closing connections, and one for the stop callbacks of lost holds. While
// several tasks of the last two kinds block, more such threads start, up to 32 of each kind. A stop callback that
// blocks keeps its thread; while 32 of them block, the next one waits. Connections have threads beside these: two for
// each session with ZooKeeper (its C client's), one for each session with Redis or a database. Locks and waiters have
// no threads.
//
// Signals. User code runs with the signal mask of the thread that made the client, or its runtime. No thread blocks the
// signals that report a fault, like SIGSEGV.
//
// Fork. In a child process every call returns `forked`. Make a new client in the child. For `sqlite:` that works only
// after exec, once the parent has opened a file.
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
#include "turnstile/session_state.hpp"

namespace turnstile {

namespace detail {
class internals;
class registration;
}  // namespace detail

// The role of a server in its ensemble. `unknown`: the client has not learned the role.
enum class server_role { unknown, standalone, leader, follower, observer, read_only };

// Returns the name of the role, like "leader".
[[nodiscard]] TURNSTILE_EXPORT std::string_view to_string(server_role role) noexcept;

// The state of one session at the instant of the call.
struct session_info {
    session_state state = session_state::connecting;  // state of the session
    std::uint64_t epoch = 0;  // number of the session, counted from 1; 0 before the first one
    std::int64_t id = 0;      // the servers' id of the session; 0 without a session
    std::chrono::milliseconds timeout{};  // the negotiated session timeout; 0 while it is unknown
    std::string server{};  // "host:port" of the server that the session is connected to, or empty
    server_role role = server_role::unknown;  // the role of that server
    std::size_t owned_bytes = 0;  // total length of the paths of the znodes that the session owns
    // The present time on the servers' wall clock, which may differ from this machine's by hours. The client reads that
    // clock when it opens the session, and adds the time that has passed since. Empty without a session, and where no
    // server gave the time (ZooKeeper before 3.6, or with an ACL on /zookeeper).
    std::optional<std::chrono::system_clock::time_point> servers_time{};
};

// Counts of events of a client's contenders (znodes in queues), over all sessions since the client's construction. The
// client does not count a call that fails before the call has a contender. The client also does not count a grant that
// one thread of the process hands over to another thread (retained and cohort locks).
struct client_counters {
    // Contenders that entered a queue. Each counts later in `granted` or in `failed`, and at its end in `gone`.
    std::uint64_t entered = 0;
    std::uint64_t granted = 0;
    std::uint64_t failed = 0;
    // Grants that ended without a release.
    std::uint64_t lost = 0;
    // Contenders that have ended, in any way.
    std::uint64_t gone = 0;
    // Contenders that found others ahead of them, and waited.
    std::uint64_t waited = 0;
    guardian_state guardian = guardian_state::off;  // no count: the present state
    friend bool operator==(const client_counters&, const client_counters&) = default;
};

// Ends a listener's registration when it is destroyed. The destructor waits for a call of the listener that is in
// progress, unless the listener itself destroys the handle.
class TURNSTILE_EXPORT listener_handle {
public:
    listener_handle() noexcept;  // refers to no listener
    ~listener_handle();
    listener_handle(listener_handle&&) noexcept;
    // Ends the present registration of this handle first.
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
    // Starts to connect in the background, and returns at once. The client resolves the host names in the background
    // too, and repeats that until it succeeds. With `client_options::require` the constructor first asks a Redis,
    // PostgreSQL or MariaDB server for its promises, and blocks as long as promises() does. A ZooKeeper connect string
    // names at most 64 servers.
    //
    // Throws std::system_error: `bad_connect_string`; `bad_option` (the message names the value and the rule); `forked`
    // (the runtime of the options belongs to the parent process); or the system's code if threads or descriptors run
    // out.
    explicit client(std::string_view connect_string, client_options options = {});
    // Makes a client from a C string, like the result of std::getenv(). Throws `bad_connect_string` for a null pointer.
    explicit client(const char* connect_string, client_options options = {});
    explicit client(std::nullptr_t, client_options options = {}) = delete;
    // Makes a client from the environment, as the command `turnstile` does. The connect string comes from the variable
    // TURNSTILE_SERVERS, or else from the first line of the file that TURNSTILE_SERVERS_FILE names. Only its owner may
    // have access to that file. Throws also `bad_connect_string` if neither variable is set or the file cannot be used.
    // Do not call it while another thread changes the environment.
    [[nodiscard]] static client from_environment(client_options options = {});
    // Calls close().
    ~client();
    // A client that was moved from behaves like a closed client, and has no session.
    client(client&&) noexcept;
    client& operator=(client&&) noexcept;
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    // Waits until the first session is connected. A Boost interruption point. Errors:
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

    // Returns what the servers of the connect string promise of every lock. A closed client promises nothing.
    //
    // For Redis, PostgreSQL and MariaDB each call asks the server over a new connection. The call blocks until the
    // server has answered, for at most 3 s and the time to resolve its name. If the server does not answer, the result
    // for Redis and MariaDB is the weakest promise of that kind of server; the result for PostgreSQL assumes `fsync =
    // on`.
    [[nodiscard]] turnstile::promises promises() const;

    // Returns the counts, for metrics. Each number is exact by itself, but the numbers are not all read at one instant.
    [[nodiscard]] client_counters counters() const;

    // Calls `listener` with every change from now on, in order, on the callbacks' executor, until the handle is
    // destroyed. A listener that is added to a closed client receives the change to `closed` (before this call returns,
    // if close() has returned). Throws `bad_option` for an empty listener.
    [[nodiscard]] listener_handle on_change(std::function<void(const session_change&)> listener);

    // Ends every wait with `closed`, gives up every hold, removes the znodes, and ends the sessions.
    //
    // close() waits up to `close_timeout` until the servers confirm the removals. Znodes that are left then end with
    // their session. It also waits for the following:
    // - The ends of the connections, at most 32 sessions at a time. Where the servers answer, that takes no time.
    //   ZooKeeper servers that do not answer delay it by at most 4.5 s: 3 s until the system has sent the data, 1.5 s
    //   for the answer. Other kinds of servers delay it by some seconds.
    // - A host name that is being resolved.
    // - Callbacks, and stop callbacks of `lost()`, that run or are queued. On an executor of yours close() waits for
    //   the queued ones up to `close_timeout` again, see `executor`.
    // - A log sink that blocks: at most one second (log.hpp).
    //
    // So close() returns within `close_timeout` + 4.5 s beside ZooKeeper servers that do not answer, provided that none
    // of your callbacks blocks and no name is being resolved.
    //
    // Any thread and any callback may call close(), more than once. Called from a callback, it does not wait for that
    // callback, and queued callbacks run after that callback has returned. Called from a callback while another thread
    // closes the client, it returns at once.
    void close() noexcept;

private:
    friend class detail::internals;
    [[nodiscard]] bool usable() const noexcept;

    class inside;
    detail::owned<inside> inside_;
};

}  // namespace turnstile
