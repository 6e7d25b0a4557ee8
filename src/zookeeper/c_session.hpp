// SPDX-License-Identifier: Apache-2.0
// c_session: one session through one handle of the C client.
//
// Purpose: converts the C client's callbacks into events of the coordinator's interface, in order. Keeps the rules of
// that interface where the C client does not (core/seam/seam.hpp, core/seam/coordinator.hpp).
//
// | state    | entered when                             | requests                      |
// |----------|------------------------------------------|-------------------------------|
// | entering | the object is constructed; a thread then | answered `not_sent`           |
// |          | opens the session, and checks that no    |                               |
// |          | other client has the session             |                               |
// | detached | that thread passes the session to the    | answered `not_sent`           |
// |          | C client; later: the connection breaks   |                               |
// | attached | the C client reports CONNECTED, READONLY | passed to the C client        |
// | moving   | the handle will move to the leader,      | answered `not_sent`; earlier  |
// |          | as the core requested (seek_leader)      | requests finish first         |
// | dead     | the session expires, a server refuses    | answered `not_sent`           |
// |          | the credentials, or another client has   |                               |
// |          | the session as well                      |                               |
//
// The order of events: the C client queues session events, watch events and completions in the order in which its I/O
// thread got them. A second thread of the C client takes them from the queue and calls this object. Other threads
// deliver the server's role (leader, follower or observer), and replies that this object makes without the C client.
// Only the thread that has locked `turn_` may deliver.
//
// Sometimes the C client reports the end of a connection late, when it already has a new connection. The session could
// then mistake the old server's role for the new server's role. So after the server's answer to the command "srvr",
// which reports the role, the session sends a read. If the read is answered before any session event, the connection is
// the same, and the session delivers the role.
//
// | part                   | state                                                           | guarded by       |
// |------------------------|-----------------------------------------------------------------|------------------|
// | outlet_                | events that wait for an earlier, incomplete reply               | turn_            |
// | state_                 | the connection, the session's identity, a planned move          | mutex_           |
// | requests_, knowledge_  | requests in the C client, watches; requests that servers know   | mutex_           |
// | suspicion_             | whether another client may have the session                     | mutex_           |
// | handle_                | the C client's handle and its list of servers                   | client_handle.hpp|
//
//     guardian_notice   reports the session to the guardian, the process that closes it after a crash
//
// Thread safety: all members from any thread. Call `close` once, and not from a function of the sink, which receives
// the session's events. A thread that needs both locks takes `turn_` before `mutex_`. The functions that the sink may
// call take only `mutex_`.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "core/seam/coordinator.hpp"
#include "guardian/guardian_link.hpp"
#include "support/wake_up.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/client_handle.hpp"
#include "zookeeper/client_requests.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/ensemble_facts.hpp"
#include "zookeeper/helper_thread.hpp"
#include "zookeeper/link_state.hpp"
#include "zookeeper/outstanding_requests.hpp"
#include "zookeeper/server_knowledge.hpp"
#include "zookeeper/session_entrance.hpp"
#include "zookeeper/sharer_check.hpp"

namespace turnstile::zookeeper {

// Reports a session and its servers to the guardian, the process that closes the session after a crash of this process.
//
// Thread safety: `add` before all other members, which any thread may call.
class guardian_notice {
public:
    // `guardian`: null if this process has no guardian.
    explicit guardian_notice(std::shared_ptr<guardian::guardian_link> guardian)
        : guardian_{std::move(guardian)} {}

    [[nodiscard]] bool is_wanted() const noexcept { return guardian_ != nullptr; }
    void add(const std::vector<socket_address>& servers) {
        for (const auto& each : servers) servers_.push_back(endpoint_of(each));
    }
    // Reports the session to the guardian. Called when the session is attached to `server`.
    void begin(const core::session_identity& own, core::duration timeout,
               const server_security* security, const socket_address& server) const {
        if (!guardian_) return;
        guardian::guard_session told;
        told.id = own.id;
        told.secret = own.password;
        told.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
        if (security != nullptr) {
            told.security = security->tls;
            told.sasl = security->sasl;
        }
        if (server.length > 0) told.servers.push_back(endpoint_of(server));
        told.servers.insert(told.servers.end(), servers_.begin(), servers_.end());
        guardian_->tell(told);
    }
    void end(std::int64_t session) const {
        if (guardian_ && session != 0) guardian_->tell(guardian::forget_session{session});
    }

private:
    [[nodiscard]] static guardian::endpoint endpoint_of(const socket_address& server) {
        return {server.storage, server.length, server.host};
    }

    const std::shared_ptr<guardian::guardian_link> guardian_;
    std::vector<guardian::endpoint> servers_;
};

class c_session final : public completion_listener {
public:
    // Throws std::system_error: `errc::unresolvable`, or the system's code if it lacks resources.
    c_session(ensemble_address servers, const core::session_settings& settings,
              core::session_sink& sink, std::shared_ptr<ensemble_facts> known,
              std::shared_ptr<guardian::guardian_link> guardian);
    c_session(const c_session&) = delete;
    c_session& operator=(const c_session&) = delete;

    void submit(core::request&& request) EXCLUDES(mutex_);
    void forget_watches(const std::string& path) EXCLUDES(mutex_);
    void seek_leader(std::uint64_t connection);
    void look_for_another(const core::look_elsewhere& wanted);
    void leave_server(std::uint64_t connection);
    [[nodiscard]] core::session_identity identity() const EXCLUDES(mutex_);
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const EXCLUDES(mutex_);
    void close() noexcept EXCLUDES(turn_, mutex_);
    // Called when all servers have older data than this session has seen. Ends the session unless it is attached,
    // because no server will accept it again.
    void give_up_to_older_data() EXCLUDES(turn_, mutex_);

    void completed(outstanding_request& p, int rc) override EXCLUDES(turn_, mutex_);

private:
    // ---- functions for the C client's events and for the connection (c_session_link.cpp) ----
    static void on_event(zhandle_t* handle, int type, int state, const char* path, void* self);
    void enter() EXCLUDES(turn_, mutex_);
    void session_event(int state) REQUIRES(turn_) EXCLUDES(mutex_);
    void attach(core::link_kind kind) REQUIRES(turn_) EXCLUDES(mutex_);
    void detach() REQUIRES(turn_) EXCLUDES(mutex_);
    void die(core::link_kind why) REQUIRES(turn_) EXCLUDES(mutex_);

    // ---- tasks of the helper thread (c_session_tasks.cpp) ----
    void learn_role(std::uint64_t connection, const socket_address& server) EXCLUDES(turn_, mutex_);
    void seek(std::uint64_t connection) EXCLUDES(turn_, mutex_);
    void look(const core::look_elsewhere& wanted) EXCLUDES(turn_, mutex_);
    // Makes the C client move to another server. `silent`: the number of the connection to leave, because its server
    // does not answer; empty: the C client moves to the leader.
    void move(std::optional<std::uint64_t> silent) EXCLUDES(turn_, mutex_);
    void await_arrival(way_to_leader taken) EXCLUDES(turn_, mutex_);
    void ask_what_is_owned(const socket_address& server) EXCLUDES(turn_, mutex_);
    // `first`: the server to ask first, if it has an address.
    void look_for_sharer(sharing_suspicion::cause why, const socket_address& first)
        EXCLUDES(turn_, mutex_);

    // ---- functions that handle replies to requests (c_session.cpp) ----
    void deliver_settled() REQUIRES(turn_) EXCLUDES(mutex_);
    // Handles the reply to `p`. Returns true if the next request has its reply already (is settled), so that the caller
    // must call deliver_settled(). If that reply comes later, the code that stores the reply delivers it.
    [[nodiscard]] bool take_reply(outstanding_request& p, int rc) REQUIRES(turn_) EXCLUDES(mutex_);
    void role_witnessed(std::uint64_t connection, const server_answers& told) REQUIRES(turn_)
        EXCLUDES(mutex_);

    const ensemble_address servers_;
    const std::shared_ptr<ensemble_facts> known_;  // shared by all sessions with these servers
    const core::session_settings settings_;
    guardian_notice guardian_;

    mutable base::mutex turn_;  // the thread that has locked it may call the sink
    ordered_outlet outlet_ GUARDED_BY(turn_);

    mutable base::mutex mutex_ ACQUIRED_AFTER(turn_);
    link_state state_ GUARDED_BY(mutex_);
    sharing_suspicion suspicion_ GUARDED_BY(mutex_);
    server_knowledge knowledge_ GUARDED_BY(mutex_);
    client_handle handle_;
    client_requests requests_ GUARDED_BY(mutex_);

    support::wake_up closing_;  // close() has begun
    support::wake_up changed_;  // ends the helper's waits: an attach, a detach or close()
    helper_thread helper_;
    helper_thread entrance_;  // runs enter(), which ends when a server answers
};

}  // namespace turnstile::zookeeper
