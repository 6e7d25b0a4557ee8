// SPDX-License-Identifier: Apache-2.0
// session_link: one session at a Redis server, and the session's thread.
//
// A session uses two connections. On one, the client sends requests and the server replies in order. On the other, the
// server only announces events. The coordinator's interface treats both as one connection. If either breaks, the
// session is detached, and its thread connects and attaches again.
//
// The thread that submits a request also sends it. The session's thread does everything else, including all deliveries.
// While a caller waits for a reply, the caller's thread may read and deliver instead (session_threads.hpp).
// docs/why/redis.md explains how the session keeps the rules of the interface.
//
// | part           | state                                             | used by                          |
// |----------------|---------------------------------------------------|----------------------------------|
// | requests_      | requests without a reply, unsent bytes            | any thread, under the lock       |
// | arguments_     | the session's id and mark at the server           | any thread, under the lock       |
// | times_         | when the session sends its own requests           | any thread, under the lock       |
// | turn_          | the thread that reads                             | any thread, under the lock       |
// | lines_, heard_ | connections for reading; known changes, watches   | the thread that has the turn     |
// | connector_     | servers, attempts to connect, failures, sentinels | the thread that has the turn     |
//
// Thread safety: all members from any thread. Call `close` once, and not from a function of the sink, which receives
// the session's events.
#pragma once

#include <boost/thread/thread.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "core/seam/coordinator.hpp"
#include "guardian/module_notice.hpp"
#include "redis/heard_changes.hpp"
#include "redis/request_stream.hpp"
#include "redis/server_connector.hpp"
#include "redis/session_lines.hpp"
#include "redis/session_threads.hpp"

namespace turnstile::redis {

// The result of an attempt to attach the session at one server. `ended`: the session must not try further servers.
enum class attach_outcome { attached, failed, ended };

// The core's instructions to the session about a server that does not reply. `look`: check over a new connection
// whether the server still replies. `leave`: leave the server.
struct silence_orders {
    std::optional<core::look_elsewhere> look;
    bool leave = false;
};

struct answer_effects;  // in session_replies.cpp

class session_link {
public:
    // `container_interval`: how long a container znode must be empty before its removal, and the interval of the
    // session's checks.
    session_link(redis_address where, const core::session_settings& settings,
                 core::duration container_interval, std::shared_ptr<known_servers> known,
                 guardian::module_notice guarded, core::session_sink& sink);
    ~session_link();
    session_link(const session_link&) = delete;
    session_link& operator=(const session_link&) = delete;

    // Waits at most `limit` for the end of the first attempt to attach. Returns an error if the server is unsuitable
    // until its configuration changes. Before the end of that attempt, the session delivers nothing.
    [[nodiscard]] std::optional<error> first_refusal(core::duration limit);

    // `with_next`: the caller submits another request at once, and the session sends both together.
    void submit(core::request&& request, bool with_next);
    void forget_watches(const std::string& path);
    // Implements coordinator_session::help: reads the server's messages on the calling thread until `until`.
    [[nodiscard]] bool help(core::time_point until);
    [[nodiscard]] core::session_identity identity() const;
    // The server's clock, from the answer to the latest attach.
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const;
    // look_for_another() and leave_server() implement the members of coordinator_session with these names.
    void look_for_another(const core::look_elsewhere& wanted);
    void leave_server(std::uint64_t connection);
    // `orderly`: asks the server to end the session, if the server can be reached.
    void close(bool orderly) noexcept;

private:
    // ---- functions that connect and attach (session_attach.cpp) ----
    void run();
    // Tries again and again until a server has attached the session. Returns false if the session has ended or the user
    // has closed it.
    bool attach();
    attach_outcome attach_at(connected_server& at);
    attach_outcome refused(const greeting& why);
    void tell_attached(answer_head&& first);
    // Delivers to the core the event that the connection or the session has ended. Then answers the requests that have
    // no reply.
    void leave(core::link_kind how);

    // ---- functions that run while there is a connection (session_serve.cpp) ----
    void serve();
    // Waits for work, and does the work that has come. Returns false if the session's thread must end.
    [[nodiscard]] bool await_something();
    [[nodiscard]] core::time_point next_due() REQUIRES(mutex_);
    void do_what_is_due();
    void look_if_asked();
    void say_good_bye();

    // ---- functions that handle the server's messages (session_replies.cpp) ----
    void read_replies();
    void execute(const pending_request& asked, answer_effects&& got);
    void read_bells();
    // Delivers the events. `along`: a reply that the server has sent with an event, and the request to which this reply
    // belongs. If the client submits this request during the delivery, the session answers the request with the reply.
    void deliver_events(std::vector<core::watch_event>&& events,
                        std::optional<answer_along>&& along);
    void deliver_settled();
    void answer(core::ticket id, core::time_point sent, core::reply&& reply);

    core::event_outlet outlet_;
    session_signals signals_;
    first_attempt first_;

    mutable base::mutex mutex_;
    session_arguments arguments_ GUARDED_BY(mutex_);
    request_times times_ GUARDED_BY(mutex_);
    request_stream requests_ GUARDED_BY(mutex_);
    reading_turn turn_;  // under the lock, except for its descriptors
    silence_orders orders_ GUARDED_BY(mutex_);

    // Only the thread that has the turn to read uses the following members.
    server_lines lines_;
    heard_changes heard_;
    server_connector connector_;
    guardian::module_notice guarded_;

    boost::thread thread_;  // the last member, because it uses the members above
};

}  // namespace turnstile::redis
