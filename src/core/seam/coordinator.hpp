// SPDX-License-Identifier: Apache-2.0
// coordinator: opens sessions. Each kind of server, the in-memory model and the simulator implement this interface.
// seam.hpp has its values and its rules.
#pragma once

#include <array>
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

// Options of open().
struct session_settings {
    duration timeout{};       // requested; the servers answer with the timeout that they grant
    std::string credentials;  // digest "user:password", empty for none
    bool allow_read_only = false;
    bool detect_role = true;  // ask the server for its role after each attach (role_known)
    bool learn_pace = false;  // also ask for its tick and syncLimit; role_known has the answer
    // Also find out whether it is Apache ZooKeeper, from its behaviour if it does not tell.
    bool examine = false;
    // Own a znode from the start. A ZooKeeper server whose machine has restarted can give this session's id to another
    // client. That client sees by the znode that the session is in use.
    bool mark = true;
    turnstile::promises required{};  // do not attach to a server that promises less
    bool whole_tree = false;  // ignore the chroot of the connect string: paths are the servers'
};

// Receives a session's events on the coordinator's threads, one at a time. Only the call `help` delivers to the sink
// from inside.
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

// A reading of the servers' wall clock, and when it was taken.
struct clock_reading {
    std::chrono::system_clock::time_point shown{};
    time_point at{};  // halfway between the request and its answer
};

// `since_1970` is the server's answer. Returns nothing if it is no valid time.
template <class Duration>
[[nodiscard]] std::optional<clock_reading> clock_reading_of(Duration since_1970, time_point sent,
                                                            time_point answered) {
    using wall_clock = std::chrono::system_clock;
    constexpr auto k_latest =
        std::chrono::floor<Duration>(wall_clock::time_point::max().time_since_epoch());
    if (since_1970 <= Duration::zero() || since_1970 > k_latest) return std::nullopt;
    return clock_reading{wall_clock::time_point{since_1970}, sent + (answered - sent) / 2};
}

// A session at the servers. Thread safety: all calls from any thread. `close` is called once, and not from inside
// `deliver`.
class coordinator_session {
public:
    virtual ~coordinator_session() = default;

    // Never blocks on the network and never calls the sink from inside; the reply comes later.
    virtual void submit(request&& request) = 0;
    // Like submit(). The caller submits another request immediately afterwards, and the two may travel together.
    virtual void submit_with_next(request&& request) { submit(std::move(request)); }

    // Drops all watches of this session on `path`, in the client and on the server. Afterwards an event for them may or
    // may not come. Allowed before the reply of the request that sets the watch, because requests are carried out in
    // order. There is no reply. If the request is lost, a watch remains, never a node.
    virtual void forget_watches(const std::string& path) = 0;

    // Moves the session to the leader if `connection` is still current. Then detached and attached follow, or
    // leader_not_found, or neither if the connection ends by itself. Requests submitted before are answered first;
    // requests submitted meanwhile are not sent. The new server may have lost the lead by then.
    virtual void seek_leader(std::uint64_t /*connection*/) {}

    // Asks the servers over separate connections whether one of them leads or is standalone. If one does,
    // found_elsewhere follows; otherwise no event. The present server is asked as well, over a new connection.
    virtual void look_for_another(const look_elsewhere& /*wanted*/) {}

    // Leaves `connection`, if it is still current, for the server of found_elsewhere; detached and attached follow.
    // Requests in progress are answered `unknown`, after `detached` or later.
    virtual void leave_server(std::uint64_t /*connection*/) {}

    // Called by a thread that waits for the answer to a request. While a request is in progress, the thread reads for
    // the session and delivers the messages itself, so that no other thread must wake up first. It waits for the
    // servers up to `until`. Call it without a lock, and not from inside `deliver`. True: it has read a message and may
    // help again. False: no message came until then, or another thread reads, or the session's own thread wants to
    // read.
    [[nodiscard]] virtual bool help(time_point /*until*/) noexcept { return false; }

    [[nodiscard]] virtual session_identity identity() const = 0;

    // The servers' clock, from an answer at the opening of the session; nothing if no answer had it. Sends no request.
    [[nodiscard]] virtual std::optional<clock_reading> servers_clock() const {
        return std::nullopt;
    }

    // Ends the session at the servers if they can be reached. Blocks until no delivery can follow any more, in the
    // worst case for several seconds. Pending requests get no reply.
    virtual void close() noexcept = 0;

    // Like `close`, but leaves the session to its timeout: for a session that is known to be dead.
    virtual void abandon() noexcept { close(); }
};

class coordinator {
public:
    virtual ~coordinator() = default;

    // Starts a session; link events report its progress. `sink` must live until close() has returned. Throws
    // std::system_error with a turnstile code if no attempt can be started.
    virtual std::unique_ptr<coordinator_session> open(const session_settings& settings,
                                                      session_sink& sink) = 0;

    // The client closes: an open() that waits ends soon.
    virtual void end_opening() noexcept {}

    // The chroot, which the servers put before our paths: empty, or "/a/b".
    [[nodiscard]] virtual std::string_view chroot() const noexcept { return {}; }

    // True if `open` may block for seconds to resolve host names.
    [[nodiscard]] virtual bool open_may_block() const noexcept { return false; }

    // The promises of these servers for every lock on them.
    [[nodiscard]] virtual turnstile::promises promises() const = 0;

    // True if the end of this process frees its locks at once, and not only after the session timeout. Sends no
    // request.
    [[nodiscard]] virtual bool frees_at_once() const noexcept { return false; }

    // True if a sequential number is the parent's count of creates of any child, and a session gets the event of a watch
    // before the answers to requests that the servers carried out later (docs/why/mutex.md, "Without a list").
    [[nodiscard]] virtual bool numbers_count_creates() const noexcept { return false; }

    // The servers, for messages: "a:2181,b:2181/chroot".
    [[nodiscard]] virtual std::string describe() const = 0;

    // The present answer of each server, for diagnosis when no session opens; empty: not known.
    // May block for seconds.
    [[nodiscard]] virtual std::string diagnose() const { return {}; }

    // True if the sessions implement coordinator_session::help.
    [[nodiscard]] virtual bool takes_help() const noexcept { return false; }

    // The cause of the latest failed attempt to attach a session, for the errors of callers without a session. Nothing
    // once a session is attached. Sends no request.
    [[nodiscard]] virtual std::optional<error> last_failure() const { return std::nullopt; }
};

}  // namespace turnstile::core
