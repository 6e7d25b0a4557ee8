// SPDX-License-Identifier: Apache-2.0
// coordinator: opens sessions at the servers. Each back end and the simulator implement this interface. seam.hpp
// defines the requests, replies and events, and their rules.
//
//     coordinator_session   a session at the servers
//     session_sink          receives the events of a session
//     event_outlet          passes the events of a session to its sink, until the session is closed
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"
#include "turnstile/promises.hpp"

namespace turnstile::core {

struct session_settings {
    duration timeout{};       // the requested timeout; the servers may grant another
    std::string credentials;  // digest "user:password", empty for none
    bool allow_read_only = false;
    bool detect_role = true;  // ask each server of the session whether it leads (role_known)
    bool learn_pace = false;  // also ask the server for its tick and its syncLimit (role_known)
    // True: the coordinator also finds out whether the server's software is Apache ZooKeeper, from the server's report
    // or else from its behaviour.
    bool examine = false;
    // True: the coordinator creates an ephemeral znode as soon as the session exists. A ZooKeeper server whose machine
    // has restarted can give the id of this session to a second client. The znode shows the second client that the
    // session is in use.
    bool mark = true;
    turnstile::promises required{};  // do not attach to a server that promises less
    bool whole_tree = false;         // ignore the chroot of the connect string
};

// Receives a session's events on the coordinator's threads, one at a time. No function of coordinator_session calls
// `deliver`, except `help`.
class session_sink {
public:
    virtual void deliver(coordinator_event&& event) noexcept = 0;

protected:
    ~session_sink() = default;
};

struct session_identity {
    std::int64_t id = 0;  // 0: no session yet
    std::array<char, 16> password{};
};

// A reading of the servers' wall clock, and the time at which it was taken.
struct clock_reading {
    std::chrono::system_clock::time_point shown{};
    time_point at{};  // halfway between the request and its answer
};

// Makes a reading from the server's answer `since_1970`. Returns nothing if `since_1970` is not a valid time.
template <class Duration>
[[nodiscard]] std::optional<clock_reading> clock_reading_of(Duration since_1970, time_point sent,
                                                            time_point answered) {
    using wall_clock = std::chrono::system_clock;
    constexpr auto k_latest =
        std::chrono::floor<Duration>(wall_clock::time_point::max().time_since_epoch());
    if (since_1970 <= Duration::zero() || since_1970 > k_latest) return std::nullopt;
    return clock_reading{wall_clock::time_point{since_1970}, sent + (answered - sent) / 2};
}

// A session at the servers. Thread safety: any thread may call each function. `close` must be called once, and not from
// inside `deliver`.
class coordinator_session {
public:
    virtual ~coordinator_session() = default;

    // Submits a request. Never blocks on the network and never calls session_sink::deliver; the reply comes later.
    virtual void submit(request&& request) = 0;
    // Like submit(). The caller submits another request directly after this one, and both requests may be sent
    // together.
    virtual void submit_with_next(request&& request) { submit(std::move(request)); }

    // Drops all watches of this session on `path`, in the client and at the server. An event of these watches may still
    // arrive. Callers may drop a watch before the reply to the request that sets it, because the servers process
    // requests in order. There is no reply. If the message to the server is lost, the server keeps the watch.
    virtual void forget_watches(const std::string& path) = 0;

    // Moves the session to the leader, if `connection` is still current. Then the events detached and attached follow,
    // or the event leader_not_found. If the connection ends by itself, the coordinator drops the move. Earlier requests
    // are answered before the move. Requests that are submitted during the move are not sent. The new server may have
    // lost the lead before the session attaches to it.
    virtual void seek_leader(std::uint64_t /*connection*/) {}

    // Asks all servers, over separate connections, whether they lead or are standalone. If a server says yes, the event
    // found_elsewhere follows; otherwise no event follows. The session's present server is asked as well, over a new
    // connection.
    virtual void look_for_another(const look_elsewhere& /*wanted*/) {}

    // Moves the session to the server that found_elsewhere reported, if `connection` is still current. The events
    // detached and attached follow. Requests in progress get the answer `unknown` after the event detached.
    virtual void leave_server(std::uint64_t /*connection*/) {}

    // Reads messages on the calling thread and passes them to session_sink::deliver. So a caller that waits for a reply
    // need not wait for the session's own thread to wake up. Waits for a message until `until`. Call this function
    // without a lock, and not from inside `deliver`. Returns true if it has read a message; the caller may then call it
    // again. Returns false if no message came, if another thread reads, or if the session's own thread wants to read.
    [[nodiscard]] virtual bool help(time_point /*until*/) noexcept { return false; }

    [[nodiscard]] virtual session_identity identity() const = 0;

    // Returns the servers' clock, as an answer at the opening of the session reported it. Returns nothing if no answer
    // reported it. Sends no request.
    [[nodiscard]] virtual std::optional<clock_reading> servers_clock() const {
        return std::nullopt;
    }

    // Ends the session at the servers, if they can be reached. Blocks until no further event can be delivered, in the
    // worst case for several seconds. Pending requests get no reply.
    virtual void close() noexcept = 0;

    // Like `close`, but leaves the session to expire. Callers use it for a session that is known to be dead.
    virtual void abandon() noexcept { close(); }
};

class coordinator {
public:
    virtual ~coordinator() = default;

    // Starts a session. Link events report its progress. `sink` must live until close() has returned. Throws
    // std::system_error with a turnstile code if no attempt can be started.
    virtual std::unique_ptr<coordinator_session> open(const session_settings& settings,
                                                      session_sink& sink) = 0;

    // Called when the client closes. Makes an open() that blocks return soon.
    virtual void end_opening() noexcept {}

    // Returns the chroot, which the servers put before our paths: empty, or a path like "/a/b".
    [[nodiscard]] virtual std::string_view chroot() const noexcept { return {}; }

    // True if `open` may block for seconds to resolve host names.
    [[nodiscard]] virtual bool open_may_block() const noexcept { return false; }

    // Returns what these servers promise for every lock.
    [[nodiscard]] virtual turnstile::promises promises() const = 0;

    // True if the servers free this process's locks as soon as the process ends, and not only after the session
    // timeout. Sends no request.
    [[nodiscard]] virtual bool frees_at_once() const noexcept { return false; }

    // True if the servers keep two rules. A sequential number counts the creates of all children of the parent. And a
    // session gets a watch's event before the answers to requests that the servers carried out after the event. An
    // acquire that reads no list of the contenders rests on both rules (docs/why/mutex.md, "Without a list").
    [[nodiscard]] virtual bool numbers_count_creates() const noexcept { return false; }

    // Returns the servers' addresses for messages: "a:2181,b:2181/chroot".
    [[nodiscard]] virtual std::string describe() const = 0;

    // Asks each server for its state, to find out why no session opens. Returns a text for people; empty if nothing is
    // known. May block for seconds.
    [[nodiscard]] virtual std::string diagnose() const { return {}; }

    [[nodiscard]] virtual bool takes_help() const noexcept { return false; }

    // Returns the cause of the latest failed attempt to attach a session, for the errors of callers without a session.
    // Returns nothing once a session is attached. Sends no request.
    [[nodiscard]] virtual std::optional<error> last_failure() const { return std::nullopt; }
};

// event_outlet: passes the events of a back end's session to the session's user, until the user closes the session.
// Thread safety: any thread may call any member.
class event_outlet {
public:
    explicit event_outlet(session_sink& sink) : sink_{sink} {}

    void deliver(coordinator_event&& event) noexcept {
        if (!is_closed()) sink_.deliver(std::move(event));
    }
    // If `orderly` is true, the session also ends at the server. Otherwise the server lets the session expire.
    void close(bool orderly) noexcept { state_ = orderly ? state::orderly : state::abandoned; }
    [[nodiscard]] bool is_closed() const noexcept { return state_ != state::open; }
    [[nodiscard]] bool is_orderly() const noexcept { return state_ == state::orderly; }

private:
    enum class state { open, orderly, abandoned };

    session_sink& sink_;
    std::atomic<state> state_{state::open};
};

}  // namespace turnstile::core
