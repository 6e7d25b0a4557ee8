// SPDX-License-Identifier: Apache-2.0
// lease: the instant until which the servers certainly keep a session.
//
// A message of a session *touches* the session at the leader: its timeout S starts again. The servers expire a session
// that has not been touched for S. The client cannot see what the leader heard, and when. A follower answers pings and
// syncs itself and reports to the leader later (a *relayed* touch). Even a write that was committed through a follower
// does not prove that earlier touches have arrived. Nor does an answer prove that the session is not doomed: the leader
// first selects all sessions of a tick that are due, and closes them one by one later. Until then a selected session
// gets answers as before, and no request can save it. So the only proof is an unbroken chain of touches, each before
// the deadline that the touch before it had set. The rule (docs/why/lease.md has the proof):
//
//     valid_until = c + S - drift * S
//
// All times are of the boottime clock. An answer counts from the time at which it was *received*, and only if that was
// before the end of what is certain. Let w be the send time of the latest write whose answer counts and proves a
// majority and the session. Then c is the latest of
//   (a) w, if this connection is to a standalone server or to the leader, and the client knew this at w;
//   (b) the send time of a request on this connection whose answer was received by w - R. R is the relay bound
//       (relay_bound.hpp), lengthened by the drift;
//   (c) what earlier connections of the session established; for a new session the instant before it was opened
//       (creating a session is itself a committed write that touches);
//   (d) the send time of the latest answered request of an earlier connection, once a write has committed on this
//       connection: the re-attach touches at the leader, and it began after that request.
//
// Between two writes a chain of reads extends what the next write will prove. The first link of the chain is
// max(c, the latest answered request) at an attach before c + S - drift * S. A request sent at s and answered by e is
// the next link if it reached the leader before the deadline of the previous link:
// e + bound <= link + S - drift * S. The bound is zero at a server that touches directly, and R elsewhere. A write
// counts if its answer arrives before link + S - drift * S.
//
// A pure value. Thread safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/lease/unproven_answers.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

enum class evidence { direct, relayed, assumed };

struct lease_rule {
    duration relay_bound{};
    bool relay_bound_assumed = false;  // true: smaller than the proven bound
    double clock_drift = 0;
    friend bool operator==(const lease_rule&, const lease_rule&) = default;
};

[[nodiscard]] inline duration scaled(duration d, double factor) {
    return duration{static_cast<duration::rep>(static_cast<double>(d.count()) * factor)};
}
// The time to wait by our clock so that every clock within the drift has advanced by at least `wanted`.
[[nodiscard]] inline duration lengthened(duration wanted, double clock_drift) {
    return scaled(wanted, 1 + clock_drift);
}

class lease {
public:
    lease() = default;
    explicit lease(const lease_rule& rule);

    // The client is about to open a new session.
    void opening(time_point before_connect);
    // At `heard` the client learned that the session is attached to `connection`. A smaller timeout than before
    // shortens the lease. An attach after the lease's end proves nothing; nor do later answers on that connection.
    void attached(std::uint64_t connection, duration timeout, time_point heard);
    // The connection has ended: no write on it can prove its reads any more.
    void detached();
    // The client learned at `learned` the role of the server of `connection`.
    void role_known(std::uint64_t connection, server_role role, time_point learned);
    // Sets R for `connection` until it ends. The next connection starts with the R of the rule again.
    void relay_bound_known(std::uint64_t connection, duration bound);
    // The server of `connection` is not known to be Apache ZooKeeper's: its R is an assumption, and no role is direct.
    void server_unproven(std::uint64_t connection);
    // A request sent at `sent` on `connection` was answered at `received`. `committed`: the request was a write, and
    // its answer proves a majority and the session.
    void answered(std::uint64_t connection, time_point sent, time_point received, bool committed);

    // The time after c for which the servers certainly keep the session: S - drift * S.
    [[nodiscard]] duration certain_for() const noexcept { return certain_for_; }
    // The time to wait by our clock so that every clock within the drift has advanced by at least `wanted`.
    [[nodiscard]] duration lengthened(duration wanted) const {
        return core::lengthened(wanted, rule_.clock_drift);
    }
    [[nodiscard]] double clock_drift() const noexcept { return rule_.clock_drift; }
    // True if the server is known to be the leader or standalone: a request touches the session directly.
    [[nodiscard]] bool is_direct() const noexcept { return here_.direct_since.has_value(); }
    // False where touches are relayed and S is not clearly longer than R. There an answer may count only when the time
    // that the answer proves has almost passed.
    [[nodiscard]] bool can_be_kept() const;
    // True if a hold always has enough time left to outlive a change of servers: touches count at once, or the session
    // timeout is at least 5/2 R.
    [[nodiscard]] bool is_ample() const;
    // R, measured by the servers' clocks.
    [[nodiscard]] duration servers_bound() const noexcept { return here_.bound; }
    // The smallest session timeout with which a hold stays alive where touches are relayed.
    [[nodiscard]] duration least_lasting_timeout() const;
    // The longest time that the lease can have left when a touch has been answered.
    [[nodiscard]] duration most_left() const {
        return is_direct() ? certain_for() : certain_for() - bound_by_our_clock();
    }
    // For a lease that cannot be kept: the instant from which on no answer on this connection makes it valid.
    [[nodiscard]] time_point hopeless_from() const;
    // An answer on this connection proves something only if it arrives before this instant. While detached:
    // valid_until().
    [[nodiscard]] time_point trusted_until() const {
        if (!here_.chain) return valid_until();
        return std::max(valid_until(),
                        is_direct() ? chained_until() : chained_until() - bound_by_our_clock());
    }
    // The interval at which an idle session sends a request so that its chain does not break.
    [[nodiscard]] duration keep_alive() const;

    // time_point::min() if the session was never established.
    [[nodiscard]] time_point valid_until() const {
        if (!established_ || !certain_) return time_point::min();
        return *certain_ + certain_for();
    }
    [[nodiscard]] bool valid(time_point now) const { return now < valid_until(); }
    [[nodiscard]] evidence rests_on() const noexcept { return evidence_; }
    // The smallest timeout negotiated in this session; zero before the first attach.
    [[nodiscard]] duration timeout() const noexcept { return timeout_; }

    // The first instant at which a write can extend the lease if the write commits. Nothing if another answer must
    // arrive first.
    [[nodiscard]] std::optional<time_point> next_useful_write() const;

    friend bool operator==(const lease&, const lease&) = default;

private:
    // The end of the latest link; without a chain the end of the lease.
    [[nodiscard]] time_point chained_until() const {
        return here_.chain ? *here_.chain + certain_for() : valid_until();
    }
    void committed(time_point sent);
    void chain(time_point sent, time_point received);
    void advance(time_point certain, evidence how);
    // R, lengthened by the drift: a clock that runs too fast shows R before R has passed.
    [[nodiscard]] duration bound_by_our_clock() const noexcept { return here_.bound_by_our_clock; }
    void set_timeout(duration timeout);
    void set_bound(duration bound);
    void arrive_at(std::uint64_t connection);
    // The first link of the chain: c, or the time of (d) if that is later.
    [[nodiscard]] time_point first_link() const;
    // The evidence that a relayed touch gives.
    [[nodiscard]] evidence relayed() const noexcept {
        return here_.assumed ? evidence::assumed : evidence::relayed;
    }

    // State of one connection, from its attach to the next attach.
    struct at_server {
        std::uint64_t number = 0;
        duration bound{};               // R
        duration bound_by_our_clock{};  // R, lengthened by the drift
        bool assumed = false;
        // (a): when the client learned that requests to this server touch directly.
        std::optional<time_point> direct_since{};
        unproven_answers unproven{};  // (b)
        std::optional<time_point>
            before_attach{};  // (d): no write has committed on this connection yet
        // The latest link. Nothing while detached, and nothing for ever on a connection that was attached too late.
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
    std::optional<time_point> last_answered_;  // its send time, over all connections
};

}  // namespace turnstile::core
