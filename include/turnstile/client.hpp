// SPDX-License-Identifier: Apache-2.0
// client: the sessions with the servers (ZooKeeper, Redis, a database, memory) that locks are taken through.
//
// Purpose: owns one or more sessions, replaces a session that the servers expired with a new one,
// and tells listeners what happens to them.
//
//     turnstile::client servers{"zk1:2181,zk2:2181,zk3:2181/shop", {.session_timeout = 30s}};
//     turnstile::mutex orders{servers, "/locks/orders"};
//
// "local:" (or "local:name", "local:name/chroot") instead of hosts gives locks inside this process
// with no server.
//
// Thread safety: all members from any thread. Threads: two per session with ZooKeeper, which are its C client's,
// one per session with Redis or a database; and four, of its own or shared with other clients (runtime.hpp): for
// timers, for callbacks, for opening and closing of connections, and for the stop callbacks of lost holds (more of
// the last two while several of them block, up to 32 each: a stop callback that blocks keeps its thread, and with
// 32 of them the next `lost()` waits for one). None for locks and waiters. User code runs with the signal mask of
// the thread that makes the client, or its runtime; no thread blocks the signals of a fault (SIGSEGV and its like).
// Fork: in a child process everything answers `forked`; make a new client there (`sqlite:` only after exec, once the
// parent has opened a file).
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

// What a server is in its ensemble, as far as this is known.
enum class server_role { unknown, standalone, leader, follower, observer, read_only };

[[nodiscard]] TURNSTILE_EXPORT std::string_view to_string(server_role role) noexcept;

// One session as it is now.
struct session_info {
    session_state state = session_state::connecting;
    std::uint64_t epoch = 0;
    std::int64_t id = 0;                      // 0 while there is none
    std::chrono::milliseconds timeout{};      // as negotiated, 0 while unknown
    std::string server{};                     // "host:port" that it is attached to, else empty
    server_role role = server_role::unknown;  // of that server
    std::size_t owned_bytes = 0;              // paths of the znodes that it owns
    // What the servers' wall clock shows now, which may be hours away from this machine's: as the session learned it
    // when it was opened, and by the time since. Nothing without a session, or where no server told it (ZooKeeper before
    // 3.6, or with an ACL on /zookeeper).
    std::optional<std::chrono::system_clock::time_point> servers_time{};
};

// What has happened to the contenders (znodes in queues) of all sessions of a client since it was made. Each counts
// once in `entered`, then in `granted` or `failed`; one that found others ahead of it, and waited, also in `waited`;
// a grant that ended without a release also in `lost`; and in the end in `gone`. A call that fails before it has a
// contender, and a grant that was handed over inside the process (retained and cohort locks), is none of them.
struct client_counters {
    std::uint64_t entered = 0;
    std::uint64_t granted = 0;
    std::uint64_t failed = 0;
    std::uint64_t lost = 0;
    std::uint64_t gone = 0;
    std::uint64_t waited = 0;
    guardian_state guardian = guardian_state::off;  // no count: as it is now
    friend bool operator==(const client_counters&, const client_counters&) = default;
};

// Ends a listener's registration when destroyed; a call that is under way is waited for, except
// from inside the listener.
class TURNSTILE_EXPORT listener_handle {
public:
    listener_handle() noexcept;  // of no listener
    ~listener_handle();
    listener_handle(listener_handle&&) noexcept;
    listener_handle& operator=(listener_handle&& other) noexcept;  // ends what it had first
    listener_handle(const listener_handle&) = delete;
    listener_handle& operator=(const listener_handle&) = delete;
    void reset() noexcept;

private:
    friend class detail::internals;
    explicit listener_handle(detail::registration* registration) noexcept;

    detail::owned<detail::registration> registration_;
};

class TURNSTILE_EXPORT client {
public:
    // Starts to connect and returns at once: names are resolved in the background, and again until they can be. With
    // `client_options::require` it asks a Redis, PostgreSQL or MariaDB server first, as promises() does, and takes as
    // long as that. ZooKeeper's connect string names 64 servers at most.
    // Throws std::system_error: bad_connect_string, bad_option (the message names the value and the rule), forked (the
    // runtime of the options is the parent's), or the system's code for want of threads or descriptors.
    explicit client(std::string_view connect_string, client_options options = {});
    // The same for what std::getenv() gives: bad_connect_string if it is null.
    explicit client(const char* connect_string, client_options options = {});
    explicit client(std::nullptr_t, client_options options = {}) = delete;
    // Of the connect string in the variable TURNSTILE_SERVERS, else in the first line of the file that
    // TURNSTILE_SERVERS_FILE names, which only its owner may open; as the command `turnstile` does. Throws also
    // bad_connect_string if neither is set, or the file cannot be used. Not while another thread changes the environment.
    [[nodiscard]] static client from_environment(client_options options = {});
    // Closes, see close().
    ~client();
    // What was moved from is as a closed client, with no session.
    client(client&&) noexcept;
    client& operator=(client&&) noexcept;
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    // Waits until the first session is connected. not_connected, unresolvable: no server answered in time, or no name
    // could be resolved, and the message names the servers tried; no_chroot: the connect string's chroot is not there;
    // server_too_old: they lack what locks need.
    // A Boost interruption point.
    result<void> wait_connected(boottime_clock::time_point deadline);
    template <duration_like D>
    result<void> wait_connected(const D& timeout) {
        return wait_connected(boottime_clock::now() + to_nanoseconds(timeout));
    }
    template <time_point_like T>
    result<void> wait_connected(const T& time) {
        return wait_connected(left_until(time));
    }

    // The first session's state, and all sessions.
    [[nodiscard]] session_state state() const;
    [[nodiscard]] std::size_t session_count() const;
    [[nodiscard]] session_info session(std::size_t index = 0) const;

    // What the kind of server behind the connect string promises of every lock; nothing at all for a closed client.
    // A Redis, PostgreSQL or MariaDB server is asked at each call, over a connection of its own: the call blocks until
    // it has answered, for up to 3 s and the time that its name takes to be resolved. Of a server that cannot be asked
    // just then, Redis and MariaDB promise what the weakest of their kind does; PostgreSQL is taken for fsync = on.
    [[nodiscard]] turnstile::promises promises() const;

    // For metrics; each number by itself is exact, they are not read at one instant.
    [[nodiscard]] client_counters counters() const;

    // Calls `listener` with every change from now on, in order, on the callbacks' executor, until the
    // handle is destroyed. A listener added to a client that is already closed is told so (before
    // this returns, once close() has). Throws bad_option for an empty listener.
    [[nodiscard]] listener_handle on_change(std::function<void(const session_change&)> listener);

    // Ends every wait with `closed`, gives up every hold, removes the znodes, ends the sessions.
    // Waits up to `close_timeout` for the servers' confirmation; what is left then ends with the
    // session. Beyond that it waits for
    // - the connections to end, side by side, at most 32 sessions at a time. That is at once where the servers answer.
    //   With ZooKeeper servers that do not it takes at most 4.5 s: 3 s until the system has taken what is to be sent,
    //   1.5 s for the answer to the session's end; with servers of another kind some seconds. A name that is being
    //   resolved is waited for, too;
    // - callbacks and stop callbacks of `lost()` that are under way, and those that are queued (on an executor
    //   of yours up to `close_timeout` again, see `executor`);
    // - a log sink that stands still, a second (log.hpp).
    // So beside ZooKeeper servers that do not answer it returns within `close_timeout` and 4.5 s, where nothing of
    // yours holds it up and no name is being resolved.
    //
    // May be called from any thread, from callbacks too, and more than once. From a callback it does
    // not wait for that one, and what is queued runs when it has returned. Called in a callback while
    // another thread closes the client, it returns at once.
    void close() noexcept;

private:
    friend class detail::internals;
    [[nodiscard]] bool usable() const noexcept;

    class inside;
    detail::owned<inside> inside_;
};

}  // namespace turnstile
