// SPDX-License-Identifier: Apache-2.0
// lease: the instant until which the servers certainly keep a session.
//
// Each message of a session *touches* the session at the leader: the session timeout S starts again. The servers expire
// a session that was not touched for S. The client cannot see which messages reached the leader in time:
// - A follower answers pings and syncs itself, and reports to the leader later (a *relayed* touch). Even a write that
//   was committed through the follower does not prove that earlier touches have arrived.
// - The leader first selects all sessions of a tick that are due, and closes them one by one later. Until then a
//   selected session gets answers as before, although no request can save it.
// So the only proof is an unbroken chain of touches, each before the deadline that the touch before it had set. The
// rule (docs/why/lease.md has the proof):
//
//     valid_until = c + S - drift * S
//
// The session was certainly touched at c or later, and `drift` is the assumed limit for the error of the clocks'
// speeds. All times are of the boottime clock. The lease uses an answer only from the time at which the client
// *received* it, and only if valid_until had not passed by then: such an answer *counts*. Let w be the send time of the
// latest write whose answer counts, and proves that the server had a majority and that the session existed. Then c is
// the latest of
//   (a) w, if this connection is to a standalone server or to the leader, and the client knew this at w;
//   (b) the send time of a request on this connection whose answer was received at w - R or earlier. R is the longest
//       time until the leader learns of a follower's answer (relay_bound.hpp), lengthened by the drift;
//   (c) the c that earlier connections of the session established, or the instant before a new session was opened;
//   (d) the send time of the latest answered request of an earlier connection, once a write has committed on this
//       connection: the reconnect touches the session at the leader, and began after that request.
//
// Between two writes a chain of reads extends what the next write will prove. A chain begins with a new connection
// before c + S - drift * S. Its first link is the later of c and the send time of the latest answered request. A
// request that was sent at s and answered at e is the next link if it reached the leader before the deadline of the
// previous link: e + bound <= link + S - drift * S. The bound is zero at a server that touches directly, and R
// elsewhere. A write counts if its answer arrives before link + S - drift * S.
//
//     unproven_answers   the answered requests that rule (b) waits to use
//
// A pure value. Thread safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "core/seam/seam.hpp"
#include "support/clock_drift.hpp"

namespace turnstile::core {

// unproven_answers: stores the answered requests of one connection until a write proves that they reached the leader
// while the session existed (rule (b) above).
//
// A follower reports an answered request to the leader at most R (the relay bound) after the answer. So a write gives
// this proof if it was sent at least R after the answer, and commits. Of several requests sent within a short time
// (`grain`) only the first is stored. Fewer stored requests can make the lease shorter, never longer, and their number
// stays bounded.
class unproven_answers {
public:
    // Stores the request, unless it was sent less than `grain` after the latest stored request. `bound`: how late the
    // leader may learn of a request that this connection's server has answered (relay bound).
    void remember(time_point sent, time_point received, duration grain, duration bound);
    // Removes the earliest stored request and returns its send time, if a committed write that was sent at `write`
    // proves that the request reached the leader. The caller repeats the call until it returns nothing. The send time
    // that the last successful call returned is the latest that the write proves.
    [[nodiscard]] std::optional<time_point> take_proven(time_point write, duration bound);
    // Returns the earliest send time of a write whose commit can prove that a stored request reached the leader.
    // Returns nothing if no request is stored.
    [[nodiscard]] std::optional<time_point> next_proof(duration bound) const;
    void forget() noexcept { samples_.clear(); }

    friend bool operator==(const unproven_answers&, const unproven_answers&) = default;

private:
    struct sample {
        time_point sent;
        time_point received;
        friend bool operator==(const sample&, const sample&) = default;
    };

    std::deque<sample> samples_;  // in sending order
};

enum class evidence { direct, relayed, assumed };

struct lease_rule {
    duration relay_bound{};
    bool relay_bound_assumed = false;  // true: less than the proven bound
    double clock_drift = 0;
    friend bool operator==(const lease_rule&, const lease_rule&) = default;
};

class lease {
public:
    lease() = default;
    explicit lease(const lease_rule& rule);

    // Called before the client opens a new session.
    void opening(time_point before_connect);
    // Called when the client learned at `heard` that the session is attached to `connection`. A shorter timeout than
    // before shortens the lease. If the lease has ended before this connection began, no answer on the connection
    // proves anything.
    void attached(std::uint64_t connection, duration timeout, time_point heard);
    // Called when the connection has ended. Ends the chain of requests that prove that the session lives. The end of
    // the lease stays the same.
    void detached();
    // Called when the client learned at `learned` the role of the server of `connection`.
    void role_known(std::uint64_t connection, server_role role, time_point learned);
    // Sets the relay bound: how late the leader may learn of a request that a follower has answered. The value applies
    // until `connection` ends. The next connection begins with lease_rule::relay_bound again.
    void relay_bound_known(std::uint64_t connection, duration bound);
    // Called if the server of `connection` may not be Apache ZooKeeper's. Then the lease assumes that every request is
    // relayed to a leader. The longest time for this (the relay bound) is an assumption, too.
    void server_unproven(std::uint64_t connection);
    // Called when a request that was sent at `sent` on `connection` was answered at `received`. `committed`: the
    // request was a write, and its answer proves that the server had a majority and that the session existed.
    void answered(std::uint64_t connection, time_point sent, time_point received, bool committed);

    // Returns the time for which the servers certainly keep the session after a request has reached the leader: S -
    // drift * S, for a session timeout S.
    [[nodiscard]] duration certain_for() const noexcept { return certain_for_; }
    [[nodiscard]] duration lengthened(duration wanted) const {
        return support::lengthened(wanted, rule_.clock_drift);
    }
    [[nodiscard]] double clock_drift() const noexcept { return rule_.clock_drift; }
    // True if the server is known to be the leader or standalone, so that each request restarts the session timeout
    // without a relay.
    [[nodiscard]] bool is_direct() const noexcept { return here_.direct_since.has_value(); }
    // True if the lease can have more than a sixteenth of the session timeout S left. At a follower, a write can prove
    // that an earlier request has reached the leader. The answer to that request must have come at least R before the
    // write. R is the longest time until the leader learns of a follower's answer (relay bound). So at most about S - R
    // of the lease is left.
    [[nodiscard]] bool can_be_kept() const;
    // True if a hold always has enough time left to outlive a change of servers: is_direct() is true, or the session
    // timeout is at least 5/2 of the longest time until the leader learns of a follower's answer (relay bound).
    [[nodiscard]] bool is_ample() const;
    // Returns the relay bound, measured by the servers' clocks: how late the leader may learn of a request that a
    // follower has answered.
    [[nodiscard]] duration servers_bound() const noexcept { return here_.bound; }
    // Returns the shortest session timeout with which a client can keep a hold if a follower relays its requests.
    [[nodiscard]] duration least_lasting_timeout() const;
    // Returns the longest time that the lease can have left when a request was just answered.
    [[nodiscard]] duration most_left() const {
        return is_direct() ? certain_for() : certain_for() - bound_by_our_clock();
    }
    // Returns the instant from which no answer on this connection can make the lease valid again. Callers may use it
    // only while can_be_kept() is false.
    [[nodiscard]] time_point hopeless_from() const;
    // Returns the instant before which the next answer on this connection must arrive, because a later answer proves
    // nothing. Without a connection this is valid_until().
    [[nodiscard]] time_point trusted_until() const {
        if (!here_.chain) return valid_until();
        return std::max(valid_until(),
                        is_direct() ? chained_until() : chained_until() - bound_by_our_clock());
    }
    // Returns the interval at which an idle session sends requests, so that their answers prove without interruption
    // that the session lives.
    [[nodiscard]] duration keep_alive() const;

    // Returns the end of the lease; time_point::min() if the session was never established.
    [[nodiscard]] time_point valid_until() const {
        if (!established_ || !certain_) return time_point::min();
        return *certain_ + certain_for();
    }
    [[nodiscard]] bool valid(time_point now) const { return now < valid_until(); }
    [[nodiscard]] evidence rests_on() const noexcept { return evidence_; }
    // Returns the shortest timeout that was negotiated in this session; zero before the session's first connection.
    [[nodiscard]] duration timeout() const noexcept { return timeout_; }

    // Returns the first instant at which a write, if it commits, can extend the lease. Returns nothing if another
    // answer must arrive first.
    [[nodiscard]] std::optional<time_point> next_useful_write() const;

    friend bool operator==(const lease&, const lease&) = default;

private:
    // Returns the deadline that the latest request has set in the chain of touches, the requests that prove that the
    // session lives. Without a chain, returns the end of the lease.
    [[nodiscard]] time_point chained_until() const {
        return here_.chain ? *here_.chain + certain_for() : valid_until();
    }
    void committed(time_point sent);
    void chain(time_point sent, time_point received);
    void advance(time_point certain, evidence how);
    // Returns the longest time until the leader learns of a follower's answer (relay bound), by our clock. Our clock
    // may run too fast, so this time is lengthened by the drift.
    [[nodiscard]] duration bound_by_our_clock() const noexcept { return here_.bound_by_our_clock; }
    void set_timeout(duration timeout);
    void set_bound(duration bound);
    void arrive_at(std::uint64_t connection);
    // Returns the first link of the chain of touches: the time c of the rule at the top of this file, or the time of
    // case (d) of that rule if (d) is later than c.
    [[nodiscard]] time_point first_link() const;
    [[nodiscard]] evidence relayed() const noexcept {
        return here_.assumed ? evidence::assumed : evidence::relayed;
    }

    // State of one connection, from its start to the start of the next connection.
    struct at_server {
        std::uint64_t number = 0;
        duration bound{};               // R
        duration bound_by_our_clock{};  // R, lengthened by the drift
        bool assumed = false;
        // For case (a) of the rule above: the instant at which the client learned that this server leads or is
        // standalone, so that requests reach the leader without a relay.
        std::optional<time_point> direct_since{};
        unproven_answers unproven{};  // (b)
        std::optional<time_point>
            before_attach{};  // (d): no write has committed on this connection yet
        // Send time of the latest request in the chain of touches, the requests that prove that the session lives.
        // Nothing without a connection, or if the lease had ended before the connection began.
        std::optional<time_point> chain{};
        friend bool operator==(const at_server&, const at_server&) = default;
    };

    lease_rule rule_;
    at_server here_;
    duration timeout_{};
    duration certain_for_{};             // computed from timeout_
    std::optional<time_point> certain_;  // c
    evidence evidence_ = evidence::relayed;
    bool established_ = false;
    std::optional<time_point> last_answered_;  // send time, on any connection
};

}  // namespace turnstile::core
