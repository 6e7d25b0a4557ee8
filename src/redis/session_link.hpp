// SPDX-License-Identifier: Apache-2.0
// session_link: one session with a Redis server, and the thread of the session.
//
// A session uses two connections at a time. On one connection the client sends requests, and the server answers them in
// order. On the other connection the server only announces events. Together they are one connection of the
// coordinator's interface. If one of them breaks, the session is detached, and the thread connects and attaches again.
//
// The thread that submits a request also sends it. The session's thread does everything else, including all deliveries.
// While a caller waits for an answer, the caller's thread reads and delivers in its place (reading_turn.hpp).
// docs/why/redis.md explains how the session keeps the rules of the interface.
//
// Thread safety: all members from any thread. Call `close` once, and not from the sink.
#pragma once

#include <pthread.h>

#include <boost/thread/thread.hpp>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/back_off.hpp"
#include "base/mutex.hpp"
#include "base/random.hpp"
#include "base/wake_up.hpp"
#include "core/seam/coordinator.hpp"
#include "guardian/guarded_session.hpp"
#include "local/chroot.hpp"
#include "local/client_watches.hpp"
#include "redis/connect_string.hpp"
#include "redis/handshake.hpp"
#include "redis/known_servers.hpp"
#include "redis/line.hpp"
#include "redis/master_watch.hpp"
#include "redis/reading_turn.hpp"
#include "redis/requests.hpp"
#include "turnstile/error.hpp"

namespace turnstile::redis {

// The pause after which the session sends its own request again to a server that is busy.
inline constexpr core::duration k_busy_pause = std::chrono::milliseconds{100};

class session_link {
public:
    // `container_interval`: the time for which a container must be empty before its removal, and the interval of the
    // session's checks.
    session_link(connect_string where, const core::session_settings& settings,
                 core::duration container_interval, std::shared_ptr<known_servers> known,
                 guardian::guarded_session guarded, core::session_sink& sink);
    ~session_link();
    session_link(const session_link&) = delete;
    session_link& operator=(const session_link&) = delete;

    // Waits until the first attempt to attach has ended, up to `limit`. Returns an error if the server must be
    // configured differently before it can be used. Before the end of the attempt, the session delivers nothing.
    [[nodiscard]] std::optional<error> first_refusal(core::duration limit);

    // `with_next`: the caller submits another request at once, and the session sends both together.
    void submit(core::request&& request, bool with_next);
    void forget_watches(const std::string& path);
    // Implements coordinator_session::help: reads the server's messages in the calling thread, up to `until`.
    [[nodiscard]] bool help(core::time_point until);
    [[nodiscard]] core::session_identity identity() const;
    // The server's clock, from the answer to the latest attach.
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const;
    // The following two members implement coordinator_session.
    void look_for_another(const core::look_elsewhere& wanted);
    void leave_server(std::uint64_t connection);
    // `orderly`: ends the session at the server, if the server can be reached.
    void close(bool orderly) noexcept;

private:
    enum class phase { detached, attached, dead };
    enum class purpose { user, poll, forget, reap };

    // A request without a delivered reply. Either the client has sent the request, or the reply is known and waits for
    // its turn.
    struct pending {
        purpose why = purpose::user;
        core::ticket id{};
        core::time_point sent{};
        core::operation op;                  // with the servers' paths
        std::string path;                    // for purpose::forget
        std::optional<core::reply> settled;  // the reply of a request that was not sent
        bool shared =
            false;  // also answered by the previous request's answer: the list of an entry
    };

    // ---- any thread ----
    // If `list` completes the kept create to an entry, sends both as one script and returns true.
    [[nodiscard]] bool send_entry(core::request& list) REQUIRES(mutex_);
    // Returns true if a list that came with an event answers the request.
    [[nodiscard]] bool answer_with_along(const core::request& request) REQUIRES(mutex_);
    void send_or_settle(core::request&& request) REQUIRES(mutex_);
    // Unlocks the mutex during the system call, because the answer may arrive before the call returns.
    void send_now(base::unique_lock& held) NO_THREAD_SAFETY_ANALYSIS;
    void send(pending&& entry, const script_call& call) REQUIRES(mutex_);
    void send_forget(std::string&& path) REQUIRES(mutex_);
    void settle(core::request&& request, core::outcome how, core::server_error error)
        REQUIRES(mutex_);
    // True if the calling thread has the turn to read and deliver.
    [[nodiscard]] bool is_reader() const noexcept;

    // ---- the session's thread: connecting (session_attach.cpp) ----
    enum class attempt { attached, failed, ended };
    void run();
    [[nodiscard]] bool stopped() const noexcept;
    // Returns false if the session is dead or the user has closed it.
    bool attach();
    attempt try_to_attach();
    attempt try_tree_of(const server_address& server, core::time_point deadline);
    attempt try_server(const server_address& server, core::time_point deadline);
    attempt take_up(std::unique_ptr<line> commands, std::unique_ptr<line> wakes,
                    const greeting& welcomed, core::time_point deadline);
    attempt give_up(const greeting& why);
    attempt failed(const std::string& reason, errc code = errc::not_connected);
    // Stores the reasons for last_failure(): the reason of each server that the session has tried.
    void note_failure(const std::string& reason, errc code);
    attempt end(core::link_kind how);
    // Returns the connect string for messages, with the server's address if sentinels have named it.
    [[nodiscard]] std::string place() const;
    attempt subscribe(line& wakes, const std::string& session, core::time_point deadline);
    // Returns 0, or the system's error number.
    [[nodiscard]] int watch_for_answers(const line& commands);
    // If too few replicas have the writes, returns false and sets the reason.
    [[nodiscard]] bool await_replicas(line& commands, core::time_point deadline);
    [[nodiscard]] owned_reply ask_to_attach(line& commands, const greeting& welcomed,
                                            core::time_point deadline);
    void tell_attached(const answer_head& first);
    void detach();
    void pause(core::duration span);
    void rest_while_dead();

    // ---- the session's thread: attached (session_serve.cpp) ----
    void serve();
    void say_good_bye();
    // Returns false if the thread must end.
    [[nodiscard]] bool await_something();
    [[nodiscard]] core::time_point next_due() REQUIRES(mutex_);
    [[nodiscard]] bool leave_replaced_master();
    void do_what_is_due();
    void look_if_asked();
    void poll_server() REQUIRES(mutex_);
    void give_back_again(core::time_point now) REQUIRES(mutex_);
    void read_wakes();

    // ---- the turn to read (session_serve.cpp) ----
    [[nodiscard]] bool awaits_answer() const REQUIRES(mutex_);
    // True if the session's thread has other work than reading.
    [[nodiscard]] bool is_needed() REQUIRES(mutex_);

    // ---- messages from the server (session_replies.cpp) ----
    void read_replies();
    // Returns the next reply that replicas have acknowledged if they must; nothing if there is none yet.
    [[nodiscard]] owned_reply next_reply();
    [[nodiscard]] bool accept_acknowledgement(const redisReply& count);
    // `list`: the list request that was sent in one script with the create `entry`.
    void handle(pending& entry, std::optional<pending>&& list, const redisReply& reply);
    void handle_error(pending& entry, std::optional<pending>&& list, std::string_view text);
    void refuse(const pending& entry, const std::optional<pending>& list, core::server_error why);
    // Stores an unknown outcome for both requests, which get it when the session is detached.
    void break_off(pending&& entry, std::optional<pending>&& list);
    void settle(pending&& entry, std::optional<pending>&& list, core::outcome how);
    void put_back(pending&& entry, std::optional<pending>&& list);
    void answer(const pending& entry, core::reply&& r);
    void hear(const std::vector<core::watch_event>& events);
    void take_head(const answer_head& head);
    // Delivers events by `delivery`. Meanwhile, `along` answers the request that the client may make in reaction.
    template <class F>
    void deliver_with(std::optional<answer_along>&& along, F&& delivery);
    // Delivers the event in the message `text`. Returns false if the session must fetch the event by a request.
    bool take_wake(std::string_view text);
    void hear_of_children(const core::reply& listing);
    void deliver_settled();
    void deliver(core::coordinator_event&& event) noexcept;
    // Returns false if the first attempt was settled before.
    bool settle_first(std::optional<error> why);
    [[nodiscard]] std::uint64_t connection() const;

    const connect_string where_;
    const core::session_settings settings_;
    const core::duration container_interval_;
    core::session_sink& sink_;
    const local::chroot root_;
    const std::string prefix_;
    const std::string znodes_;  // the two keys of every script
    const std::string deadlines_;
    const std::string identity_;      // digest of the credentials; empty without credentials
    const std::string password_;      // the session's password, in hex
    const std::string timeout_text_;  // in microseconds
    const std::string replicas_;      // replicas that must acknowledge; empty: none
    const std::string patience_;      // time limit for the replicas, in milliseconds

    mutable base::mutex mutex_;
    base::condition changed_;
    phase phase_ GUARDED_BY(mutex_) = phase::detached;
    std::uint64_t connection_ GUARDED_BY(mutex_) = 0;
    std::string session_ GUARDED_BY(mutex_);  // the session's id in digits; empty: no session yet
    // The session's mark at the server: the connection, the timeout, the password and the identity.
    std::string mark_ GUARDED_BY(mutex_);
    std::optional<core::clock_reading> clock_ GUARDED_BY(mutex_);
    std::array<std::string, k_script_count> digests_ GUARDED_BY(mutex_);
    // The connection of the "Sending" members of `line`. The thread that sends, and `answers_`, share it.
    std::shared_ptr<line> commands_ GUARDED_BY(mutex_);
    bool sending_ GUARDED_BY(mutex_) =
        false;  // by another thread, which also sends what is added meanwhile
    std::deque<pending> pending_ GUARDED_BY(mutex_);
    std::optional<core::request> kept_
        GUARDED_BY(mutex_);  // a create that waits for the list of its folder
    std::optional<answer_along> along_
        GUARDED_BY(mutex_);  // while the event that it came with is being delivered
    // The time by which the session fetches the events after a delivered event; max: there is nothing to fetch.
    core::time_point fetch_by_ GUARDED_BY(mutex_) = core::time_point::max();
    std::vector<std::string> given_back_ GUARDED_BY(mutex_);  // removed while detached
    core::time_point last_sent_ GUARDED_BY(mutex_){};
    bool closing_ GUARDED_BY(mutex_) = false;
    std::optional<core::look_elsewhere> wanted_ GUARDED_BY(mutex_);
    bool leaves_ GUARDED_BY(mutex_) = false;  // leave_server() was called
    bool first_settled_ GUARDED_BY(mutex_) = false;
    std::optional<error> first_refusal_ GUARDED_BY(mutex_);

    reading_turn turn_;
    core::time_point rests_until_ GUARDED_BY(mutex_){};
    base::wake_up wake_;  // set when there is work for the session's thread
    base::wake_up stop_;  // set for ever by close()
    std::atomic<bool> orderly_{false};
    std::atomic<bool> silent_{false};
    std::atomic<pthread_t> own_thread_{};
    std::atomic<pthread_t> reader_{};  // the thread that reads, or that has read last

    // Only the thread that has the turn to read uses the following members.
    std::shared_ptr<line> answers_;  // the connection of `commands_`, for reading
    owned_reply awaiting_;           // a reply that replicas have not acknowledged yet
    std::unique_ptr<line> wakes_;
    std::shared_ptr<const tls_context> tls_;       // for this attempt or connection; null: no TLS
    server_address server_;                        // the session's server, or the last one tried
    std::optional<server_address> redirected_to_;  // the node that the last server has named
    core::duration resolving_{};                   // the resolver's time in this attempt to attach
    std::optional<server_address> tree_at_;        // the cluster's node where the session was
    const std::shared_ptr<known_servers> known_;
    guardian::guarded_session guarded_;
    told_refusals told_refusals_;  // the sentinels' logged refusals
    std::optional<master_watch> watch_;
    local::client_watches watches_;
    core::time_point
        answered_sent_{};  // send time of the latest answered request on this connection
    std::int64_t seen_zxid_ = 0;
    std::int64_t changed_zxid_ = 0;    // the zxid of the last reported create or removal
    bool has_unknown_change_ = false;  // a change had no answer when the connection broke
    std::string history_;              // the tree's history at the latest attach (lua/attach.lua)
    core::time_point come_back_ = core::time_point::max();  // when another session may expire
    core::time_point reap_at_{};
    core::time_point give_back_at_{};  // for watches that a busy server has not removed
    std::string broken_;               // the reason to leave the connection; empty: none
    bool gone_ = false;                // the server has reported that the session has ended
    std::string told_;                 // the last reason in the log
    std::string attempt_reasons_;      // the reasons of all servers in this attempt to attach
    base::back_off retries_{std::chrono::milliseconds{20}, std::chrono::seconds{1}};
    base::random chance_;

    boost::thread thread_;  // the last member, because it uses the members above
};

}  // namespace turnstile::redis
