// SPDX-License-Identifier: Apache-2.0
// confirmations: the times at which a session sends confirmations. A confirmation is a write. Its answer proves that
// the session lives, and extends the lease. contender_table decides which znode the confirmation checks.
//
//     confirmation_pace   a setting; computes the interval between confirmations from the lease (docs/why/lease.md)
//     confirmations       computes the time of the next confirmation on one connection
//
// Thread safety: none, values.
#pragma once

#include <optional>

#include "core/lease/lease.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct confirmation_pace {
    // The user's setting for the interval between two confirmations, the writes that extend the lease. If this setting
    // is zero, or too long to keep the lease alive, interval() returns a fifth of the session timeout.
    duration wanted{};

    [[nodiscard]] duration interval(const lease& session) const;
    // True if a hold that is granted now gets the answer to its first confirmation before the lease ends, under normal
    // conditions. If all contenders of the session have several contenders ahead, the session extends its lease less
    // often than usual. Without this check a contender could then be granted in the last moment of the lease.
    [[nodiscard]] bool lasts(const lease& session, time_point now) const;
    // Returns how old the latest get of the own znode may be at a grant. An operator's `take` (revocation.hpp) first
    // writes an order to leave into the znode, and deletes the znode two session timeouts (2 S) later. A hold that has
    // not seen the order lasts at most until its first confirmation (`interval`) plus one lease (S). So the get may be
    // S - interval old. The result is half of this age, and at most one interval. The other half is the margin for
    // clock drift. docs/why/revocation.md has the proof.
    [[nodiscard]] duration unseen_for(const lease& session) const;

    friend bool operator==(const confirmation_pace&, const confirmation_pace&) = default;
};

// Facts about a session's contenders, from which due() computes the time of the next confirmation (a write that extends
// the lease).
struct confirmation_needs {
    bool contenders = false;      // the session has contenders
    bool confirming = false;      // needs_confirmation() is true for a contender
    bool holding = false;         // a contender holds a lock
    bool awaiting_lease = false;  // a contender gets its lock as soon as the lease lasts
};

class confirmations {
public:
    // The first confirmation on a connection (a write that extends the lease) is due at once.
    confirmations() = default;
    confirmations(time_point now, duration interval)
        : counts_from_{now - interval}, sent_at_{now - interval} {}

    // Returns the time at which the session must send the next confirmation, a write that extends the lease.
    // `last_write`: the send time of the latest committed write.
    [[nodiscard]] std::optional<time_point> due(const confirmation_pace& pace, const lease& session,
                                                const confirmation_needs& needs,
                                                time_point last_write, time_point now) const;

    // Called when a contender begins to need confirmations (writes that extend the lease), and no other contender needs
    // any.
    void first_needed(time_point now) { counts_from_ = now; }
    // Called when a confirmation (a write that extends the lease) is due, even if no contender has a znode to check.
    void begin(time_point now) { counts_from_ = sent_at_ = now; }
    void sent(ticket request) { request_ = request; }
    void answered(ticket request) {
        if (request_ == request) request_.reset();
    }
    [[nodiscard]] std::optional<ticket> request() const noexcept { return request_; }
    // Called if the confirmation in progress, a write that extends the lease, failed. The next confirmation is due at
    // once.
    void lost(time_point now, duration interval) {
        request_.reset();
        counts_from_ = now - interval;
    }

    friend bool operator==(const confirmations&, const confirmations&) = default;

private:
    time_point counts_from_{};
    time_point sent_at_{};
    std::optional<ticket> request_;  // in progress
};

}  // namespace turnstile::core
