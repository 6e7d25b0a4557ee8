// SPDX-License-Identifier: Apache-2.0
// client_handle: a handle of the C client, and the list of servers that the handle has.
//
// Purpose: the C client gets names if they resolve fast, and addresses if it must find a certain server. In place of
// servers with TLS, it gets the local addresses of a tunnel.
//
// Thread safety: `open` and `make_tunnel` before all other use, and before the C client calls the session. After that,
// any thread may call `get`, `server`, `identity`, `timeout` and `await_sweep`. One thread at a time changes the list
// of servers.
#pragma once

#include <zookeeper/zookeeper.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/completion_sweep.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/ensemble_facts.hpp"
#include "zookeeper/last_answer.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/operations.hpp"
#include "zookeeper/tunnel.hpp"
#include "zookeeper/way_to_leader.hpp"

namespace turnstile::zookeeper {

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
    // (last_answer.hpp). Blocks.
    void await_answers();
    // Closes the handle, and also the session if the handle is connected. The C client's threads may call the session
    // until close() returns. `is_idle`: no request is in progress.
    void close(bool is_idle);
    // Each completion of the C client calls this function first. At the end of a session, this function waits until the
    // C client has queued all completions (completion_sweep.hpp).
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
