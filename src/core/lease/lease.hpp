// SPDX-License-Identifier: Apache-2.0
// lease: until when a session is certain to live at the servers.
//
// The servers expire a session when they have not heard of it for its time-out S. What they heard,
// and when, is not visible: followers answer pings and syncs themselves and tell the leader later,
// and even a committed write through a follower does not say that the touches before it arrived.
// Nor does an answer say that a session is not doomed: the leader first takes all sessions of a tick
// that are due, and closes them one after the other later; in between each of them is answered as ever,
// and nothing saves it. So what is certain is an unbroken chain of touches, each before the deadline that
// the one before it had set. The rule (docs/why/lease.md has the proof):
//
//     valid_until = c + S - drift * S
//
// where all times are taken by the boottime clock. A request has a send time; an answer counts from when
// it was *received*, and only if that was before the end of what is certain. w being the send time of
// the latest write whose answer proves a majority and the session, and counts, c is the latest of
//   (a) w, if this connection is to a standalone server or to the leader, and this was known at w;
//   (b) the send time of a request of this connection whose answer had come by w - R, R being the
//       relay bound (relay_bound.hpp), made longer by the drift;
//   (c) what earlier connections of the session established, and for a new session the instant
//       before it was opened (creating a session is itself a committed write that touches);
//   (d) the send time of the latest answered request of an earlier connection, once a write has
//       committed on this one: re-attaching touches at the leader, and began after that request.
//
// While nothing is written, a chain of reads keeps up what a write will prove: its first link is
// max(c, the latest answered request) at an attach that came before c + S - drift * S; a request that
// was sent at s and answered by e is the next one if the leader had it before the deadline of the
// link before: e + bound <= link + S - drift * S, where the bound is zero at a server that touches
// directly and R elsewhere. A write counts if it is answered before link + S - drift * S.
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
    bool relay_bound_assumed = false;  // smaller than the proven one
    double clock_drift = 0;
    friend bool operator==(const lease_rule&, const lease_rule&) = default;
};

[[nodiscard]] inline duration scaled(duration d, double factor) {
    return duration{static_cast<duration::rep>(static_cast<double>(d.count()) * factor)};
}
// The time to wait by our clock so that by every clock within the drift at least `wanted` has passed.
[[nodiscard]] inline duration lengthened(duration wanted, double clock_drift) {
    return scaled(wanted, 1 + clock_drift);
}

class lease {
public:
    lease() = default;
    explicit lease(const lease_rule& rule);

    // A new session is about to be opened.
    void opening(time_point before_connect);
    // The session is on `connection`, as is known at `heard`. A smaller time-out than before shortens the
    // lease. An attach that comes after the lease's end proves nothing, nor does what follows on it.
    void attached(std::uint64_t connection, duration timeout, time_point heard);
    // The connection is gone: what its reads showed can no longer be proven by a write on it.
    void detached();
    // The server of `connection` told its role at `learned`.
    void role_known(std::uint64_t connection, server_role role, time_point learned);
    // What R is on `connection`, from the attach to its end; before, and on the next one, it is the rule's.
    void relay_bound_known(std::uint64_t connection, duration bound);
    // The server of `connection` is another than Apache ZooKeeper's: R is an assumption there, and no role is direct.
    void server_unproven(std::uint64_t connection);
    // A request sent at `sent` on `connection` was answered at `received`; `committed` if it was a
    // write whose answer proves a majority and the session.
    void answered(std::uint64_t connection, time_point sent, time_point received, bool committed);

    // How long after c the session is certain to live: S - drift * S.
    [[nodiscard]] duration certain_for() const noexcept { return certain_for_; }
    // The time to wait by our clock so that by every clock within the drift at least `wanted` has passed.
    [[nodiscard]] duration lengthened(duration wanted) const {
        return core::lengthened(wanted, rule_.clock_drift);
    }
    [[nodiscard]] double clock_drift() const noexcept { return rule_.clock_drift; }
    // This server touches directly, as far as is known.
    [[nodiscard]] bool is_direct() const noexcept { return here_.direct_since.has_value(); }
    // False where touches are relayed and S is hardly longer than R, or shorter: by the time an answer
    // counts, what it shows is over, or about to be.
    [[nodiscard]] bool can_be_kept() const;
    // Whether a hold has enough left, at any time, to outlive a change of servers: it has where touches count at once,
    // or where the time-out is at least 5/2 R.
    [[nodiscard]] bool is_ample() const;
    // R, by the servers' clocks.
    [[nodiscard]] duration servers_bound() const noexcept { return here_.bound; }
    // The smallest time-out with which a hold is kept alive where touches are relayed.
    [[nodiscard]] duration least_lasting_timeout() const;
    // How much of the lease is left at most when a touch has been answered.
    [[nodiscard]] duration most_left() const {
        return is_direct() ? certain_for() : certain_for() - bound_by_our_clock();
    }
    // For a lease that cannot be kept: from when on nothing makes it valid on this connection.
    [[nodiscard]] time_point hopeless_from() const;
    // From then on nothing that this session is answered on this connection proves anything, unless it
    // has come before. While detached: valid_until().
    [[nodiscard]] time_point trusted_until() const {
        if (!here_.chain) return valid_until();
        return std::max(valid_until(),
                        is_direct() ? chained_until() : chained_until() - bound_by_our_clock());
    }
    // How often a session that has nothing to ask asks all the same, so that its chain does not break.
    [[nodiscard]] duration keep_alive() const;

    // time_point::min() while the session was never established.
    [[nodiscard]] time_point valid_until() const {
        if (!established_ || !certain_) return time_point::min();
        return *certain_ + certain_for();
    }
    [[nodiscard]] bool valid(time_point now) const { return now < valid_until(); }
    [[nodiscard]] evidence rests_on() const noexcept { return evidence_; }
    // The smallest time-out negotiated in this session; zero before the first attach.
    [[nodiscard]] duration timeout() const noexcept { return timeout_; }

    // The first instant at which sending a write can move the lease, if it commits. Nothing if there
    // is no instant like that before another request has been answered.
    [[nodiscard]] std::optional<time_point> next_useful_write() const;

    friend bool operator==(const lease&, const lease&) = default;

private:
    // The latest link's end, or else the lease's.
    [[nodiscard]] time_point chained_until() const {
        return here_.chain ? *here_.chain + certain_for() : valid_until();
    }
    void committed(time_point sent);
    void chain(time_point sent, time_point received);
    void advance(time_point certain, evidence how);
    // R, made longer by the drift: a clock that runs too fast shows R before it is over.
    [[nodiscard]] duration bound_by_our_clock() const noexcept { return here_.bound_by_our_clock; }
    void set_timeout(duration timeout);
    void set_bound(duration bound);
    void arrive_at(std::uint64_t connection);
    // Of the chain: what is certain, or (d).
    [[nodiscard]] time_point first_link() const;
    // Of what a relayed touch shows.
    [[nodiscard]] evidence relayed() const noexcept {
        return here_.assumed ? evidence::assumed : evidence::relayed;
    }

    // Of one connection, from its attach to the next.
    struct at_server {
        std::uint64_t number = 0;
        duration bound{};               // R
        duration bound_by_our_clock{};  // follows from it
        bool assumed = false;
        std::optional<time_point>
            direct_since{};           // (a): when we learned that this server touches directly
        unproven_answers unproven{};  // (b)
        std::optional<time_point>
            before_attach{};  // (d): not yet backed by a commit on this connection
        // The latest link; nothing while detached, and for good on a connection that came too late.
        std::optional<time_point> chain{};
        friend bool operator==(const at_server&, const at_server&) = default;
    };

    lease_rule rule_;
    at_server here_;
    duration timeout_{};
    duration certain_for_{};             // follows from it
    std::optional<time_point> certain_;  // c
    evidence evidence_ = evidence::relayed;
    bool established_ = false;
    std::optional<time_point> last_answered_;  // send time, over all connections
};

}  // namespace turnstile::core
