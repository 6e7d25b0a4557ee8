// lease: until when a session is certain to live at the servers.
//
// The servers expire a session when they have not heard of it for its time-out S. What they heard,
// and when, is not visible: followers answer pings and syncs themselves and tell the leader later,
// and even a committed write through a follower does not say that the touches before it arrived.
// The rule (docs/lease.md has the proof):
//
//     valid_until = c + S - drift * S
//
// where all times are send times on the boottime clock, and, w being the send time of the latest
// write whose answer proves a majority and the session, c is the latest of
//   (a) w, if this connection is to a standalone server or to the leader, and this was known at w;
//   (b) the send time of a request of this connection whose answer had come by w - R, R being the
//       relay bound, made longer by the drift;
//   (c) what earlier connections of the session established, and for a new session the instant
//       before it was opened (creating a session is itself a committed write that touches);
//   (d) the send time of the latest answered request of an earlier connection, once a write has
//       committed on this one: re-attaching touches at the leader, and began after that request.
//
// A pure value. Thread safety: none.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "core/seam.hpp"

namespace turnstile::core {

enum class evidence { direct, relayed, assumed };

struct lease_rule {
    duration relay_bound{};
    bool relay_bound_assumed = false;  // smaller than the proven one
    double clock_drift = 0;
    friend bool operator==(const lease_rule&, const lease_rule&) = default;
};

class lease {
public:
    lease() = default;
    explicit lease(const lease_rule& rule) : rule_{rule} {}

    // A new session is about to be opened.
    void opening(time_point before_connect);
    // The session is on `connection`. A smaller time-out than before shortens the lease.
    void attached(std::uint64_t connection, duration timeout);
    // The server of `connection` told its role at `learned`.
    void role_known(std::uint64_t connection, server_role role, time_point learned);
    // A request sent at `sent` on `connection` was answered at `received`; `committed` if it was a
    // write whose answer proves a majority and the session.
    void answered(std::uint64_t connection, time_point sent, time_point received, bool committed);

    // How long after c the session is certain to live: S - drift * S.
    [[nodiscard]] duration certain_for() const;
    // So long by our clock that by any other at least `wanted` has gone by.
    [[nodiscard]] duration lengthened(duration wanted) const;
    // This server touches directly, as far as is known.
    [[nodiscard]] bool is_direct() const noexcept { return direct_since_.has_value(); }
    // False where touches are relayed and S is not longer than R: by the time an answer counts, what
    // it shows is over.
    [[nodiscard]] bool can_be_kept() const { return most_left() > duration{}; }
    // How much of the lease is left at most when a touch has been answered.
    [[nodiscard]] duration most_left() const {
        return is_direct() ? certain_for() : certain_for() - relay_bound();
    }
    // For a lease that cannot be kept: from when on nothing makes it valid on this connection.
    [[nodiscard]] time_point hopeless_from() const;

    // time_point::min() while the session was never established.
    [[nodiscard]] time_point valid_until() const;
    [[nodiscard]] bool valid(time_point now) const { return now < valid_until(); }
    [[nodiscard]] evidence rests_on() const noexcept { return evidence_; }
    // The smallest time-out negotiated in this session; zero before the first attach.
    [[nodiscard]] duration timeout() const noexcept { return timeout_; }

    // The first instant at which sending a write can move the lease, if it commits. Nothing if there
    // is no such instant before another request has been answered.
    [[nodiscard]] std::optional<time_point> next_useful_write() const;

    friend bool operator==(const lease&, const lease&) = default;

private:
    struct sample {
        time_point sent;
        time_point received;
        friend bool operator==(const sample&, const sample&) = default;
    };

    void committed(time_point sent);
    void advance(time_point certain, evidence how);
    void remember(const sample& what);
    [[nodiscard]] duration relay_bound() const;
    [[nodiscard]] evidence relay_evidence() const noexcept;

    lease_rule rule_;
    duration timeout_{};
    std::optional<time_point> certain_;  // c
    evidence evidence_ = evidence::relayed;
    bool established_ = false;

    std::uint64_t connection_ = 0;
    std::optional<time_point>
        direct_since_;            // (a): when we learned that this server touches directly
    std::deque<sample> samples_;  // (b): answered requests that have not matured yet
    std::optional<time_point> before_attach_;  // (d): not yet backed by a commit on this connection
    std::optional<time_point> last_answered_;  // send time, over all connections
};

}  // namespace turnstile::core
