// SPDX-License-Identifier: Apache-2.0
// coordinator: opens sessions. The interface behind which each kind of server, the in-memory model
// and the simulator stand. The values that it takes and gives are in seam.hpp, and so are the rules.
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

// What a session needs to know to be opened.
struct session_settings {
    duration timeout{};       // asked for; the servers answer with what they grant
    std::string credentials;  // digest "user:password", empty for none
    bool allow_read_only = false;
    bool detect_role = true;  // ask the server for its role after each attach (role_known)
    bool learn_pace = false;  // and one that follows for its tick and syncLimit
    bool examine =
        false;  // and find out whose program it is, from what it knows if it does not say so
    // Own a znode from the beginning: a client that is given the same session (ZooKeeper, by a server whose machine has
    // restarted) sees by it that the session is taken.
    bool mark = true;
    turnstile::promises required{};  // a server that promises less is not attached to
    bool whole_tree = false;  // paths are the servers': the connect string's chroot is left out
};

// Receives a session's events, on the coordinator's threads, one at a time, never from inside a call to the session but
// `help`.
class session_sink {
public:
    virtual void deliver(coordinator_event&& event) noexcept = 0;

protected:
    ~session_sink() = default;
};

struct session_identity {
    std::int64_t id = 0;  // 0: none yet
    std::array<char, 16> password{};
};

// What the servers' wall clock showed, and when.
struct clock_reading {
    std::chrono::system_clock::time_point shown{};
    time_point at{};  // halfway between the request and its answer
};

// `since_1970`: as a server says; nothing for a time that is none.
template <class Duration>
[[nodiscard]] std::optional<clock_reading> clock_reading_of(Duration since_1970, time_point sent,
                                                            time_point answered) {
    using wall_clock = std::chrono::system_clock;
    constexpr auto k_latest =
        std::chrono::floor<Duration>(wall_clock::time_point::max().time_since_epoch());
    if (since_1970 <= Duration::zero() || since_1970 > k_latest) return std::nullopt;
    return clock_reading{wall_clock::time_point{since_1970}, sent + (answered - sent) / 2};
}

// One session with the servers. Thread safety: all calls from any thread; `close` once, not from
// inside `deliver`.
class coordinator_session {
public:
    virtual ~coordinator_session() = default;

    // Never blocks on the network and never calls the sink from inside. The reply comes later.
    virtual void submit(request&& request) = 0;
    // The same, and the caller submits another request at once: the two may travel together.
    virtual void submit_with_next(request&& request) { submit(std::move(request)); }

    // Drops all watches of this session on `path`, here and on the server; no event for them
    // is promised or excluded afterwards. Legal before the reply of the request that sets the watch:
    // requests are carried out in order. Gets no reply; a lost one leaves a watch, never a node.
    virtual void forget_watches(const std::string& path) = 0;

    // Moves the session to the server that leads, if the connection is still this one: detached and attached follow,
    // or leader_not_found, or neither if the connection ends by itself. Requests that were submitted are answered
    // first; those that come meanwhile are not sent. The server that it arrives at may lead no more.
    virtual void seek_leader(std::uint64_t /*connection*/) {}

    // Asks the servers, over connections of their own, whether one of them leads, or is alone; found_elsewhere follows if
    // one does, and nothing otherwise. The present server counts, over a new connection.
    virtual void look_for_another(const look_elsewhere& /*wanted*/) {}

    // Leaves the connection, if it is still this one, for the server that was found; detached and attached follow.
    // Requests that are under way are answered `unknown`, behind `detached` or later.
    virtual void leave_server(std::uint64_t /*connection*/) {}

    // For a thread that waits for the answer to a request: while one is under way it reads for the session, and delivers
    // itself what has come, so that no other thread has to be woken first. It waits for the servers up to `until`. Called
    // under no lock and not from inside `deliver`. True if it has read something and may help again; false where there
    // was nothing to read until then, another thread reads, or the session's own wants to.
    [[nodiscard]] virtual bool help(time_point /*until*/) noexcept { return false; }

    [[nodiscard]] virtual session_identity identity() const = 0;

    // The servers' clock as an answer told it when the session was opened; nothing if none did. Asks nothing.
    [[nodiscard]] virtual std::optional<clock_reading> servers_clock() const {
        return std::nullopt;
    }

    // Ends the session at the servers if they can be reached, and blocks until nothing will be
    // delivered any more (several seconds in the worst case). Pending requests get no reply.
    virtual void close() noexcept = 0;

    // As `close`, but leaves the session to its time-out: for a session that is known to be dead.
    virtual void abandon() noexcept { close(); }
};

class coordinator {
public:
    virtual ~coordinator() = default;

    // Starts a session; its link events say how it goes. `sink` must live until close() returned.
    // Throws std::system_error with a turnstile code where no attempt could be started.
    virtual std::unique_ptr<coordinator_session> open(const session_settings& settings,
                                                      session_sink& sink) = 0;

    // No session is wanted any more: an open() that waits ends soon.
    virtual void end_opening() noexcept {}

    // What the servers' paths have before ours: empty, or "/a/b".
    [[nodiscard]] virtual std::string_view chroot() const noexcept { return {}; }

    // Whether `open` may block for seconds, for names that are resolved.
    [[nodiscard]] virtual bool open_may_block() const noexcept { return false; }

    // What these servers promise of every lock on them.
    [[nodiscard]] virtual turnstile::promises promises() const = 0;

    // True while the end of this process frees its locks at once, and not after the session time-out. Asks nothing.
    [[nodiscard]] virtual bool frees_at_once() const noexcept { return false; }

    // True if a sequential number is the parent's count of creates of any child, and a session gets the event of a watch
    // before the answers to requests that the servers carried out later (docs/why/mutex.md, "Without a list").
    [[nodiscard]] virtual bool numbers_count_creates() const noexcept { return false; }

    // The servers, for messages: "a:2181,b:2181/chroot".
    [[nodiscard]] virtual std::string describe() const = 0;

    // What each server answers just now, for a person who wonders why no session comes; empty: nothing is known. May
    // block for seconds.
    [[nodiscard]] virtual std::string diagnose() const { return {}; }

    // Whether the sessions take help (coordinator_session::help).
    [[nodiscard]] virtual bool takes_help() const noexcept { return false; }

    // Why the latest attempt to attach a session failed, as callers that have no session are told; nothing once a session
    // is attached. Asks nothing.
    [[nodiscard]] virtual std::optional<error> last_failure() const { return std::nullopt; }
};

}  // namespace turnstile::core
