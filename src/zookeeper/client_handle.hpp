// SPDX-License-Identifier: Apache-2.0
// client_handle: a handle of the C client, and the list of servers that the handle has. A function receives the C
// client's log lines.
//
// Purpose: the C client gets names if they resolve fast, and addresses if it must find a certain server. In place of
// servers with TLS, it gets the local addresses of a tunnel.
//
//     last_answer        waits for the answers to the requests in progress
//     completion_sweep   lets the C client free all requests before it closes
//
// Thread safety: `open` and `make_tunnel` before all other use, and before the C client calls the session. After that,
// any thread may call `get`, `server`, `identity`, `timeout` and `await_sweep`. One thread at a time changes the list
// of servers.
#pragma once

#include <zookeeper/zookeeper.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "core/seam/coordinator.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/log.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/ensemble_facts.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/operations.hpp"
#include "zookeeper/tunnel.hpp"
#include "zookeeper/way_to_leader.hpp"

namespace turnstile::zookeeper {

// ---- the log lines of the C client ----
// They go to the log of this library. The C client's levels are one step too high for a library that handles the events
// itself: a refused connection is an error for the C client, and normal for the library. So ERROR becomes warning, WARN
// info, INFO debug, and DEBUG trace. The C client's own level decides which lines it writes at all
// (zoo_set_debug_level; default INFO). The process has only one such level, and the application controls it.
//
// on_client_line has the type log_callback_fn of the C client. Both functions may be called from any thread.
void on_client_line(const char* line) noexcept;

struct client_line {
    log_level level = log_level::info;
    std::string_view text;
};
// Parses "2026-01-01 00:00:00,000:1(0x1):ZOO_INFO@function@123: text\n". Returns a line of another form unchanged.
[[nodiscard]] client_line parse_client_line(std::string_view line) noexcept;

// Leaves no request in progress in the C client when a session ends.
//
// zookeeper_close() queues a completion for each unanswered request. The C client's completion thread ends as soon as
// its queue is empty, perhaps before zookeeper_close() has queued all completions. The C client then neither calls nor
// frees the later completions (ZooKeeper 3.8.0, `do_completion`, `destroy`). So the first completion must wait until
// the last completion is queued.
//
// The completion of zoo_add_auth ends this wait: zookeeper_close() itself calls that completion, after it has queued
// all others. So begin() calls zoo_add_auth, with invented credentials. They have no effect, because the session ends.
//
// Thread safety: all members from any thread. The lock guards only this object, because the C client calls the
// completion under its own locks.
class completion_sweep {
public:
    // Calls zoo_add_auth() with invented credentials. zookeeper_close() calls the completion of this request after it
    // has queued the completions of all other requests.
    void begin(zhandle_t* handle, const char* scheme, std::string_view credentials)
        EXCLUDES(mutex_);
    // Waits until the C client has called the completion of begin()'s request, but no longer than `limit`. Returns at
    // once if begin() was not called.
    void await(core::duration limit) EXCLUDES(mutex_);

private:
    static void on_end(int rc, const void* self);

    base::mutex mutex_;
    std::atomic<bool> under_way_{false};
    base::condition_variable ended_;
};

// Waits until the server has answered the requests in progress, before a session is closed.
//
// zookeeper_close() sends the request that closes the session, and reads no answer to an earlier request. Then it
// closes the socket. If the socket still has unread answers, the kernel resets the connection. A server that sends a
// further answer after the reset closes the connection, and does not read the request that closes the session. So the
// session's znodes would stay for the session timeout.
//
// The server answers a session's requests in order, so the answer to one more request shows that no earlier answer is
// missing.
//
// Thread safety: one thread calls await().
class last_answer {
public:
    // Sends a read, and waits until it is answered, but no longer than `limit`. Does nothing if the handle is not
    // connected. `handle` must not be closed before this call; this object must outlive the handle.
    void await(zhandle_t* handle, core::duration limit) EXCLUDES(mutex_);

private:
    static void on_answer(int rc, const Stat* stat, const void* self);

    base::mutex mutex_;
    base::condition_variable answered_;
    bool is_answered_ GUARDED_BY(mutex_) = false;
};

class client_handle {
public:
    // The references must outlive this object.
    client_handle(const ensemble_address& servers, const core::session_settings& settings,
                  const std::shared_ptr<ensemble_facts>& known)
        : servers_{servers}, settings_{settings}, known_{known} {}

    // `own`: the session to which the C client attaches; null: the C client opens a session. `hosts`: the servers in
    // the order of the attempts. Throws std::system_error: `errc::unresolvable`, or the system's code if it lacks
    // resources.
    void open(const server_list& hosts, const core::session_identity* own, const watcher& tell);
    // Makes the tunnel (tunnel.hpp): from `open` on, it passes the session's bytes to servers with TLS.
    void make_tunnel();
    // Ends the connection for ever, so that close() does not close the session. Blocks.
    void disconnect();
    // Waits for the answers to the requests in progress, so that the server reads the request that closes the session
    // (last_answer). Blocks.
    void await_answers();
    // Closes the handle, and also the session if the handle is connected. The C client's threads may call the session
    // until close() returns. `is_idle`: no request is in progress.
    void close(bool is_idle);
    // Each completion of the C client calls this function first. At the end of a session, this function waits until the
    // C client has queued all completions (completion_sweep).
    void await_sweep() { sweep_.await(k_sweep_limit); }
    // Throws the error of an open() that has failed: no server's name was resolved, or the system lacks a resource.
    [[noreturn]] void throw_open_error(int failure) const;

    [[nodiscard]] zhandle_t* get() const noexcept { return handle_; }
    [[nodiscard]] core::session_identity identity() const;
    [[nodiscard]] core::duration timeout() const;
    // The server to which the handle is connected; without an address if the connection has ended.
    [[nodiscard]] socket_address server() const;

    // Returns all servers in random order.
    [[nodiscard]] server_list hosts() const;
    // Returns the servers in an order that begins with `first`: with localSessionsEnabled, only the server that opened
    // the session may know the session.
    [[nodiscard]] server_list hosts_from(const socket_address& first) const;
    // Sets the list of servers, so that the C client leaves its server. The caller must then send a request, which
    // wakes the C client.
    void move(const way_to_leader& to);
    // Records the number of addresses in the C client's list of servers; 0 if the list has only names. After the
    // attach, the session replaces the addresses by names, if may_list_names() is true.
    void note_addresses(std::size_t listed) noexcept { listed_ = listed; }
    // True if the list has addresses, and list_names() can replace them by names while the C client keeps its server.
    // Blocks.
    [[nodiscard]] bool may_list_names() const;
    void list_names();

private:
    void add_credentials();
    [[nodiscard]] std::string list_of(const std::vector<std::string>& hosts) const;

    const ensemble_address& servers_;
    const core::session_settings& settings_;
    const std::shared_ptr<ensemble_facts>& known_;
    // Set once, under c_session::turn_, so that no callback of the C client runs before the pointer is set.
    zhandle_t* handle_ = nullptr;
    std::unique_ptr<tunnel> tunnel_;  // null: the servers are without TLS
    completion_sweep sweep_;
    last_answer last_answer_;
    std::size_t listed_ = 0;  // the number of addresses in the list; 0: names alone
};

}  // namespace turnstile::zookeeper
