// SPDX-License-Identifier: Apache-2.0
// c_session: one session through one handle of the C client.
//
// Purpose: converts the C client's callbacks into events of the coordinator's interface, in order. Keeps the rules of
// that interface where the C client does not (core/seam/seam.hpp, core/seam/coordinator.hpp).
//
// | state    | entered when                             | requests                      |
// |----------|------------------------------------------|-------------------------------|
// | entering | at first: a separate thread opens the    | answered `not_sent`           |
// |          | session, checks that no other client has |                               |
// |          | it, and passes it to the C client        |                               |
// | detached | then, and when the connection breaks     | answered `not_sent`           |
// | attached | the C client reports CONNECTED, READONLY | passed to the C client        |
// | moving   | the handle will move to the leader       | answered `not_sent`, while    |
// |          | (seek_leader)                            | earlier ones are waited for   |
// | dead     | expired, credentials refused, another    | answered `not_sent`           |
// |          | client has the session as well           |                               |
//
// The order of events: the C client queues session events, watch events and completions in the order in which its I/O
// thread got them. Another thread of the C client takes them from the queue and calls this object. Other threads
// deliver replies that this object makes itself, and roles. `turn_` lets only one thread deliver at a time.
//
// The C client may report a session event only when it already has a new connection. A role that was learned before
// would then count for the wrong server. So after the server's answer to "srvr" the session sends a read. If the read
// is answered before any session event, the session delivers the role.
//
// Thread safety: all members from any thread. Call `close` once, and not from the sink. A thread that needs both locks
// takes `turn_` before `mutex_`. The functions that the sink may call take only `mutex_`.
#pragma once

#include <zookeeper/zookeeper.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "base/wake_up.hpp"
#include "core/seam/coordinator.hpp"
#include "guardian/link.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/answers.hpp"
#include "zookeeper/arrival_line.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/flap_watch.hpp"
#include "zookeeper/helper_thread.hpp"
#include "zookeeper/known_servers.hpp"
#include "zookeeper/operations.hpp"
#include "zookeeper/own_znodes.hpp"
#include "zookeeper/packets.hpp"
#include "zookeeper/pending.hpp"
#include "zookeeper/request_knowledge.hpp"
#include "zookeeper/server_role.hpp"
#include "zookeeper/tunnel.hpp"
#include "zookeeper/watch_book.hpp"
#include "zookeeper/way_to_leader.hpp"

namespace turnstile::zookeeper {

class raw_session;

class c_session final : public completion_listener {
public:
    // Throws std::system_error: `errc::unresolvable`, or the system's code if it lacks resources.
    c_session(connect_string servers, const core::session_settings& settings,
              core::session_sink& sink, std::shared_ptr<known_servers> known,
              std::shared_ptr<guardian::link> guardian);
    ~c_session() = default;
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

    void completed(pending_request& p, int rc) override EXCLUDES(turn_, mutex_);

private:
    enum class phase { entering, detached, attached, moving, dead };

    static void on_event(zhandle_t* handle, int type, int state, const char* path, void* self);
    // `own`: the session to which the C client attaches; null: the C client opens a session. `hosts`: the servers in
    // the order of the attempts.
    void open_handle(const server_list& hosts, const clientid_t* own) REQUIRES(turn_);
    void add_credentials() REQUIRES(turn_);
    void note_addresses(const std::vector<socket_address>& found);

    // ---- the steps to a session that no other client has: c_session_entry.cpp ----
    enum class entry { over, again, failed };
    void enter() EXCLUDES(turn_, mutex_);
    // `rounds`: the number of rounds over all servers without a session so far.
    [[nodiscard]] entry enter_at(const socket_address& server, unsigned rounds)
        EXCLUDES(turn_, mutex_);
    [[nodiscard]] entry attach_to(const core::session_identity& own, const socket_address& server)
        EXCLUDES(turn_, mutex_);
    [[nodiscard]] entry leave_to_client() EXCLUDES(turn_, mutex_);
    [[nodiscard]] entry leave_unasked() EXCLUDES(turn_, mutex_);
    [[nodiscard]] entry open_handle_late(const server_list& hosts, const clientid_t* own)
        EXCLUDES(turn_, mutex_);
    void note_failure(const socket_address& server, const std::string& reason);
    void pass_over(const core::session_identity& shared, const path_list& owned,
                   const socket_address& server);
    [[nodiscard]] server_list hosts_from(const socket_address& first) const;
    // Returns the hosts as a list for the C client. If there is a tunnel, its local addresses replace the hosts.
    [[nodiscard]] std::string client_list(const std::vector<std::string>& hosts) const;
    void make_tunnel(const core::session_identity& own);
    [[nodiscard]] bool has_to_stop() const noexcept;
    void pause_entry(core::duration length) const noexcept;

    // ---- a session that another client has too: c_session_sharing.cpp ----
    enum class suspicion { opened_unasked, early_ends };
    void look_for_sharer(suspicion why, const socket_address& first) EXCLUDES(turn_, mutex_);
    [[nodiscard]] bool ask_first(core::link_kind kind) REQUIRES(turn_) EXCLUDES(mutex_);
    void ask_what_is_owned(const socket_address& server) EXCLUDES(turn_, mutex_);
    [[nodiscard]] bool look_at(const socket_address& server, suspicion why) EXCLUDES(turn_, mutex_);
    void settle_own(raw_session& raw, suspicion why) EXCLUDES(mutex_);
    [[nodiscard]] path_list split_foreign(path_list& owned, suspicion why) const EXCLUDES(mutex_);
    void remove_own(const socket_address& server, const core::session_identity& own,
                    path_list owned) const;
    void give_up_shared(const path_list& foreign) EXCLUDES(turn_, mutex_);
    void leave_shared() EXCLUDES(mutex_);
    static void on_left(int rc, const void* self);

    void session_event(int state) REQUIRES(turn_) EXCLUDES(mutex_);
    void watch_fired(int type, const char* path) REQUIRES(turn_) EXCLUDES(mutex_);

    // ---- attach, detach and the end of the session: c_session_link.cpp ----
    void attach(core::link_kind kind) REQUIRES(turn_) EXCLUDES(mutex_);
    void detach() REQUIRES(turn_) EXCLUDES(mutex_);
    void die(core::link_kind why) REQUIRES(turn_) EXCLUDES(mutex_);
    void tell_guardian(const core::link_event& event, const socket_address& server)
        EXCLUDES(mutex_);
    void tell_guardian_of_end() EXCLUDES(mutex_);
    core::link_event describe_attach(core::link_kind kind) REQUIRES(mutex_);
    [[nodiscard]] socket_address connected_server() const;

    // ---- the servers' roles and the move to the leader: c_session_role.cpp ----
    void learn_role(std::uint64_t connection, const socket_address& server) EXCLUDES(turn_, mutex_);
    void role_witnessed(std::uint64_t connection, const server_answers& told) REQUIRES(turn_)
        EXCLUDES(mutex_);
    [[nodiscard]] server_answers ask(const socket_address& server);
    // Finds out the server's software by two requests that not all servers know, once for a session. Does so only if
    // the server has not reported its software.
    void identify(server_answers told) REQUIRES(mutex_);
    void send_examination(const server_answers& told) REQUIRES(mutex_);
    bool send_question(const core::operation& question, const std::optional<server_answers>& told)
        REQUIRES(mutex_);
    void examined(const core::reply& answer, const std::optional<server_answers>& told)
        REQUIRES(turn_) EXCLUDES(mutex_);
    void look_for_leader(std::uint64_t connection) EXCLUDES(turn_, mutex_);
    [[nodiscard]] std::optional<way_to_leader> find_leader() const;
    void move_when_idle() REQUIRES(mutex_);
    void move_to_leader() EXCLUDES(turn_, mutex_);
    std::optional<way_to_leader> leave_for_leader() EXCLUDES(turn_, mutex_);
    void tell_departure() REQUIRES(turn_) EXCLUDES(mutex_);
    void reconnect(const way_to_leader& to) REQUIRES(turn_) EXCLUDES(mutex_);
    void await_arrival(way_to_leader taken) EXCLUDES(turn_, mutex_);
    void list_names_alone() EXCLUDES(turn_, mutex_);

    // ---- a silent connection: c_session_silence.cpp ----
    void look(const core::look_elsewhere& wanted) EXCLUDES(turn_, mutex_);
    [[nodiscard]] std::optional<way_to_leader> find_another(const core::look_elsewhere& wanted,
                                                            const socket_address& present) const;
    void leave_silent_server(std::uint64_t connection) EXCLUDES(turn_, mutex_);
    [[nodiscard]] bool may_leave(std::uint64_t connection) const noexcept REQUIRES(mutex_);

    // ---- servers that know fewer requests: c_session_older.cpp ----
    [[nodiscard]] bool lacks(const request_knowledge& request) const noexcept REQUIRES(mutex_);
    [[nodiscard]] bool prepare_create(pending_request& p, const core::create_op& op) const
        REQUIRES(mutex_);
    [[nodiscard]] bool goes_on(pending_request& p, verdict& word) REQUIRES(turn_, mutex_);
    void learn(request_knowledge& request, const pending_request& p, const verdict& word)
        REQUIRES(mutex_);
    void give_up_creates() REQUIRES(turn_, mutex_);
    bool reads_created(pending_request& p, verdict& word) REQUIRES(turn_, mutex_);
    static void leave_open(pending_request& p, verdict& word);
    void forget_here(const std::string& path) REQUIRES(mutex_);
    void tell_complete() REQUIRES(turn_) EXCLUDES(mutex_);

    // ---- the end of the requests in progress: c_session_end.cpp ----
    void start_sweep() EXCLUDES(mutex_);
    void await_sweep() EXCLUDES(mutex_);
    static void on_swept(int rc, const void* self);

    void deliver(core::coordinator_event&& event) REQUIRES(turn_) EXCLUDES(mutex_);
    void deliver_settled() REQUIRES(turn_) EXCLUDES(mutex_);
    // Returns true if the caller must call deliver_settled(), because the next request is settled. A request that
    // becomes settled later is delivered by the code that settles it.
    [[nodiscard]] bool take_reply(pending_request& p, int rc) REQUIRES(turn_) EXCLUDES(mutex_);
    void removal_done(const pending_request& p, int rc) REQUIRES(mutex_);
    [[nodiscard]] bool usable() const noexcept REQUIRES(mutex_);
    void send_removal(const std::string& path) REQUIRES(mutex_);
    // `told`: the answers of the connection's server. They count if the answer to this read comes on the same
    // connection.
    void send_witness(const std::optional<server_answers>& told) REQUIRES(mutex_);
    void drop_forgotten_watches() REQUIRES(mutex_);

    const connect_string servers_;
    const std::shared_ptr<known_servers> known_;  // shared by all sessions with these servers
    const core::session_settings settings_;
    core::session_sink& sink_;
    const std::shared_ptr<guardian::link> guardian_;  // null: none
    std::vector<guardian::endpoint> addresses_;       // for the guardian; never changes

    mutable base::mutex turn_;               // the thread that has it may call the sink
    bool silent_ GUARDED_BY(turn_) = false;  // close() has begun
    arrival_line line_ GUARDED_BY(turn_);

    mutable base::mutex mutex_ ACQUIRED_AFTER(turn_);
    phase phase_ GUARDED_BY(mutex_) = phase::entering;
    bool closed_ GUARDED_BY(mutex_) = false;
    bool shared_ GUARDED_BY(mutex_) = false;  // with another client: must not be closed
    // If the connect string allows read-only servers, the C client itself opens the session. The client must then ask
    // which ephemeral znodes the session owns. `due`: it asks when the session is attached to a server that accepts
    // writes.
    enum class asking { settled, due, under_way };
    asking asking_ GUARDED_BY(mutex_) = asking::settled;
    own_znodes own_ GUARDED_BY(mutex_);
    flap_watch flaps_ GUARDED_BY(mutex_);
    std::uint64_t connection_ GUARDED_BY(mutex_) = 0;  // number of the latest connection, from 1
    core::session_identity identity_ GUARDED_BY(mutex_);
    std::optional<core::clock_reading> clock_ GUARDED_BY(mutex_);
    pending_requests pending_ GUARDED_BY(mutex_);
    watch_book watches_ GUARDED_BY(mutex_);
    std::optional<way_to_leader> to_leader_ GUARDED_BY(mutex_);  // for a move that has not begun
    std::optional<way_to_leader> elsewhere_ GUARDED_BY(mutex_);  // the result of the latest look()
    std::size_t listed_ GUARDED_BY(mutex_) = 0;    // the C client's addresses; 0: names alone
    core::duration timeout_ GUARDED_BY(mutex_){};  // the timeout that the servers granted
    bool examined_ GUARDED_BY(mutex_) = false;     // send_examination() has been called
    bool warned_ GUARDED_BY(mutex_) = false;       // about a server that may be no ZooKeeper
    server_software software_ GUARDED_BY(mutex_) = server_software::unknown;  // if it is known
    // A separate lock: the C client calls on_swept() with its own locks held, and calls under mutex_ take these locks.
    base::mutex sweep_mutex_;
    std::atomic<bool> sweeping_{false};  // close() has not queued all completions yet
    base::condition swept_;

    // Set once, by the constructor or by enter(), under `turn_`, so that no callback runs before. Constant afterwards.
    // Requests check `phase_` before they use it.
    zhandle_t* handle_ = nullptr;
    std::unique_ptr<tunnel> tunnel_;  // null: the servers are without TLS

    bool pace_refused_ = false;    // for the helper: the server does not allow conf
    std::uint64_t entries_ = 0;    // for enter(): attempts to open a session
    std::uint64_t passed_by_ = 0;  // enter()'s: other clients' sessions that servers assigned
    struct entry_failure {
        std::uint64_t count = 0;
        std::string reason;  // the reason of the connection's failure
        std::string told;    // the reason with the server's answer
    };
    std::map<std::string, entry_failure>
        entry_failures_;  // enter()'s: by address, in readable form

    base::wake_up closing_;  // close() has begun
    base::wake_up changed_;  // ends the helper's waits: an attach, a detach or close()
    helper_thread helper_;
    helper_thread entrance_;  // enter(), which runs until a server answers
};

}  // namespace turnstile::zookeeper
