// SPDX-License-Identifier: Apache-2.0
#include "core/session/confirmations.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace turnstile::core {

namespace {

constexpr int k_confirmations_per_timeout = 5;
constexpr int k_hurry = 4;  // a lease that is nearly over is confirmed more often, by this factor

}  // namespace

duration confirmation_pace::interval(const lease& session) const {
    if (wanted > duration{} && wanted < session.certain_for()) return wanted;
    return std::max(session.timeout(), duration{1}) / k_confirmations_per_timeout;
}

bool confirmation_pace::lasts(const lease& session, time_point now) const {
    const auto every = interval(session);
    TURNSTILE_CHECK(every > duration{});
    const auto end = session.valid_until();
    return now < end && now + std::min(every, session.most_left()) / k_hurry < end;
}

duration confirmation_pace::unseen_for(const lease& session) const {
    const auto every = interval(session);
    return std::min(every, std::max((session.certain_for() - every) / 2, duration{}));
}

std::optional<time_point> confirmations::due(const confirmation_pace& pace, const lease& session,
                                             const confirmation_needs& needs, time_point last_write,
                                             time_point now) const {
    TURNSTILE_CHECK(needs.contenders || !needs.confirming);
    TURNSTILE_CHECK(needs.confirming || !needs.holding);
    TURNSTILE_CHECK(needs.confirming || !needs.awaiting_lease);
    if (!needs.contenders || request_) return std::nullopt;
    const auto interval = pace.interval(session);
    // A confirmation is a write that checks a contender's znode and extends the lease. If no contender needs a
    // confirmation, each contender has several contenders ahead. Then the session needs only a lease that outlives a
    // change of connection, and any committed write extends the lease enough.
    if (!needs.confirming) return std::max(counts_from_, last_write) + interval;
    auto due = counts_from_ + interval;
    const auto end = session.valid_until();
    if (needs.awaiting_lease && !pace.lasts(session, now)) {
        if (const auto useful = session.next_useful_write()) due = std::min(due, *useful);
    } else if (needs.holding && end > time_point::min() + interval) {
        // For a hold that was granted late in the lease, the session sends the first confirmation (a write that extends
        // the lease) before the usual interval has passed.
        const auto soonest = sent_at_ + interval / k_hurry;
        due = std::min(due, std::max(end - interval, soonest));
        // At a follower, a write extends the lease only if it proves that an earlier request has reached the leader. So
        // after the answer to the earlier request, the write must wait for the relay bound: the longest time until the
        // leader learns of a follower's answer.
        const auto useful = session.next_useful_write();
        if (useful && session.rests_on() != evidence::direct)
            due = std::min(due, std::max({*useful, end - 2 * interval, soonest}));
    }
    return due;
}

}  // namespace turnstile::core
