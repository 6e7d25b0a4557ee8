// SPDX-License-Identifier: Apache-2.0
#include "core/lease/lease.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace turnstile::core {

void unproven_answers::remember(time_point sent, time_point received, duration grain,
                                duration bound) {
    TURNSTILE_CHECK(sent <= received);
    TURNSTILE_CHECK(grain >= duration::zero());
    if (!samples_.empty() && sent < samples_.back().sent + grain) return;
    // Every later write is sent at `sent` or later. So each later write proves that the leader has learned of every
    // stored request that was answered at `sent - bound` or earlier. Only the latest of these requests is needed, so
    // this loop removes the others. Otherwise an idle session, which sends no writes, would collect requests.
    while (samples_.size() > 1 && samples_[1].received <= sent - bound) samples_.pop_front();
    samples_.push_back({sent, received});
}

std::optional<time_point> unproven_answers::take_proven(time_point write, duration bound) {
    // place: sample_has_matured
    if (samples_.empty() || samples_.front().received > write - bound) return std::nullopt;
    const auto sent = samples_.front().sent;
    samples_.pop_front();
    return sent;
}

std::optional<time_point> unproven_answers::next_proof(duration bound) const {
    if (samples_.empty()) return std::nullopt;
    return samples_.front().received + bound;
}

namespace {

// If two answers are closer together than these fractions of the session timeout S and of the relay bound R, the lease
// stores only one of them. Fewer stored answers can make the lease shorter, never longer, and their number stays
// bounded. R is the longest time until the leader learns of a request that a follower has answered.
constexpr int k_timeout_grain = 64;
constexpr int k_relay_grain = 128;
// The C client pings after a third of the session timeout without a request, but does not report the times of the ping
// and of its answer. So the core sends an `exists` a little earlier, which makes the ping needless.
constexpr int k_keep_alive_tenths = 3;
constexpr int k_least_keep_alive = 32;  // a fraction: S / 32
constexpr int k_least_left = 16;        // a fraction: S / 16
// Session timeouts as multiples of the relay bound R, the longest time until the leader learns of a request that a
// follower has answered. From 5/2 R on, a hold outlives a change of servers. From 5/3 R on, a client of a follower can
// keep its hold alive (docs/why/lease.md).
constexpr int k_bounds = 5;
constexpr int k_for_ample = 2;
constexpr int k_for_lasting = 3;

}  // namespace

lease::lease(const lease_rule& rule) : rule_{rule} {
    TURNSTILE_CHECK(rule.clock_drift < 1);
    arrive_at(0);
}

void lease::arrive_at(std::uint64_t connection) {
    here_ = {};
    here_.number = connection;
    here_.assumed = rule_.relay_bound_assumed;
    set_bound(rule_.relay_bound);
}

void lease::set_bound(duration bound) {
    TURNSTILE_CHECK(bound >= duration::zero());
    here_.bound = bound;
    here_.bound_by_our_clock = lengthened(bound);
}

void lease::set_timeout(duration timeout) {
    TURNSTILE_CHECK(timeout >= duration::zero());
    timeout_ = timeout;
    certain_for_ = support::shortened(timeout, rule_.clock_drift);
}

void lease::opening(time_point before_connect) {
    const auto rule = rule_;
    *this = lease{rule};
    certain_ = before_connect;
    evidence_ = relayed();
}

void lease::attached(std::uint64_t connection, duration timeout, time_point heard) {
    set_timeout(established_ ? std::min(timeout_, timeout) : timeout);
    // place: lease_goes_over
    arrive_at(connection);
    const bool again = std::exchange(established_, true);
    if (!valid(heard)) return;  // place: chain_broken_at_attach
    TURNSTILE_CHECK(certain_);
    if (again) here_.before_attach = last_answered_;  // place: answered_before_attach
    here_.chain = first_link();
}

void lease::detached() {
    here_.chain.reset();
}

time_point lease::first_link() const {
    return std::max(*certain_, here_.before_attach.value_or(*certain_));
}

void lease::role_known(std::uint64_t connection, server_role role, time_point learned) {
    if (connection != here_.number) return;
    const bool direct = role == server_role::standalone || role == server_role::leader;
    if (direct && !here_.direct_since) here_.direct_since = learned;
}

void lease::relay_bound_known(std::uint64_t connection, duration bound) {
    if (connection != here_.number) return;
    // The chain of requests that prove that the session lives (lease.hpp) may contain a request that was in time under
    // the shorter bound that was assumed before. Under the longer bound the request may have reached the leader too
    // late. So the chain starts again.
    if (here_.chain && bound > here_.bound) here_.chain = first_link();
    set_bound(bound);
}

void lease::server_unproven(std::uint64_t connection) {
    if (connection != here_.number) return;
    here_.assumed = true;
    here_.direct_since.reset();
}

void lease::answered(std::uint64_t connection, time_point sent, time_point received,
                     bool was_committed) {
    TURNSTILE_CHECK(sent <= received);
    if (connection != here_.number || !here_.chain) return;
    TURNSTILE_CHECK(certain_);
    if (received >= chained_until()) {  // place: chain_is_broken
        here_.unproven.forget();
        here_.before_attach.reset();
        return;
    }
    if (was_committed) committed(sent);
    chain(sent, received);
    if (sent > *certain_) {  // place: sample_is_newer
        const auto grain =
            std::max(timeout_ / k_timeout_grain, bound_by_our_clock() / k_relay_grain);
        here_.unproven.remember(sent, received, grain, bound_by_our_clock());
    }
    last_answered_ = std::max(last_answered_.value_or(sent), sent);
    TURNSTILE_CHECK(*here_.chain >= *certain_);
}

// If the request went directly to the leader, it reached the leader at `received` at the latest. If a follower relays
// the request, it may reach the leader after `received`, later by at most the relay bound (relay_bound.hpp).
void lease::chain(time_point sent, time_point received) {
    TURNSTILE_CHECK(here_.chain);
    const bool directly = here_.direct_since && sent >= *here_.direct_since;
    const auto arrived = directly ? received : received + bound_by_our_clock();
    // place: chain_goes_on
    if (arrived <= chained_until()) here_.chain = std::max(*here_.chain, sent);
}

void lease::committed(time_point sent) {
    if (here_.before_attach) {
        advance(*here_.before_attach, relayed());
        here_.before_attach.reset();
    }
    while (const auto proven = here_.unproven.take_proven(sent, bound_by_our_clock()))
        advance(*proven, relayed());
    if (here_.direct_since && sent >= *here_.direct_since) advance(sent, evidence::direct);
}

void lease::advance(time_point certain, evidence how) {
    if (certain_ && certain <= *certain_) return;  // place: certain_only_grows
    certain_ = certain;
    evidence_ = how;
    here_.chain = std::max(*here_.chain, certain);
}

bool lease::can_be_kept() const {
    return most_left() > timeout_ / k_least_left;
}

bool lease::is_ample() const {
    return is_direct() || timeout_ * k_for_ample >= here_.bound * k_bounds;
}

duration lease::least_lasting_timeout() const {
    return here_.bound * k_bounds / k_for_lasting;
}

duration lease::keep_alive() const {
    const auto gap = std::max(most_left() / 2, timeout_ / k_least_keep_alive);
    return std::min(timeout_ * k_keep_alive_tenths / 10, gap);
}

time_point lease::hopeless_from() const {
    return here_.before_attach ? std::max(valid_until(), *here_.before_attach + certain_for())
                               : valid_until();
}

std::optional<time_point> lease::next_useful_write() const {
    if (!here_.chain) return std::nullopt;
    if (here_.direct_since) return *here_.direct_since;
    if (here_.before_attach && certain_ && *here_.before_attach > *certain_)
        return time_point::min();
    return here_.unproven.next_proof(bound_by_our_clock());
}

}  // namespace turnstile::core
