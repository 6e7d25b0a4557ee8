// SPDX-License-Identifier: Apache-2.0
#include "core/lease/lease.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace turnstile::core {

namespace {

// Samples closer together than these parts of S and R are left out: fewer samples only make the
// lease shorter, never longer, and their number stays bounded (unproven_answers.hpp).
constexpr int k_timeout_grain = 64;
constexpr int k_relay_grain = 128;
// The C client pings after a third of the time-out without a request; a little earlier, an `exists`
// takes the ping's place, and its answer, unlike a ping's, is visible and says when it was sent.
constexpr int k_keep_alive_tenths = 3;
constexpr int k_least_keep_alive = 32;  // this part of S
constexpr int k_least_left = 16;        // this part of S
// Ample: S is at least 5/2 R.
constexpr int k_ample = 5;
constexpr int k_of_bound = 2;

duration scaled(duration d, double factor) {
    return duration{static_cast<duration::rep>(static_cast<double>(d.count()) * factor)};
}

}  // namespace

lease::lease(const lease_rule& rule)
    : rule_{rule}, relay_bound_{rule.relay_bound}, bound_assumed_{rule.relay_bound_assumed} {
    TURNSTILE_CHECK(rule.relay_bound >= duration::zero());
    TURNSTILE_CHECK(rule.clock_drift < 1);
}

void lease::opening(time_point before_connect) {
    const auto rule = rule_;
    *this = lease{rule};
    certain_ = before_connect;
    evidence_ = relayed();
}

void lease::attached(std::uint64_t connection, duration timeout, time_point heard) {
    TURNSTILE_CHECK(timeout >= duration::zero());
    timeout_ = established_ ? std::min(timeout_, timeout) : timeout;
    connection_ = connection;  // place: lease_goes_over
    relay_bound_ = rule_.relay_bound;
    bound_assumed_ = rule_.relay_bound_assumed;
    direct_since_.reset();
    unproven_.forget();
    chain_.reset();
    const bool again = std::exchange(established_, true);
    if (!valid(heard)) {  // place: chain_broken_at_attach
        before_attach_.reset();
        return;
    }
    TURNSTILE_CHECK(certain_);
    if (again) before_attach_ = last_answered_;  // place: answered_before_attach
    chain_ = std::max(*certain_, before_attach_.value_or(*certain_));
}

void lease::detached() {
    chain_.reset();
}

void lease::role_known(std::uint64_t connection, server_role role, time_point learned) {
    if (connection != connection_) return;
    const bool direct = role == server_role::standalone || role == server_role::leader;
    if (direct && !direct_since_) direct_since_ = learned;
}

void lease::relay_bound_known(std::uint64_t connection, duration bound) {
    TURNSTILE_CHECK(bound >= duration::zero());
    if (connection != connection_) return;
    // What was linked by a shorter one may have come to the leader too late.
    if (chain_ && bound > relay_bound_)
        chain_ = std::max(*certain_, before_attach_.value_or(*certain_));
    relay_bound_ = bound;
}

void lease::server_unproven(std::uint64_t connection) {
    if (connection != connection_) return;
    bound_assumed_ = true;
    direct_since_.reset();
}

void lease::answered(std::uint64_t connection, time_point sent, time_point received,
                     bool was_committed) {
    TURNSTILE_CHECK(sent <= received);
    if (connection != connection_ || !chain_) return;
    TURNSTILE_CHECK(certain_);
    if (received >= chained_until()) {  // place: chain_is_broken
        unproven_.forget();
        before_attach_.reset();
        return;
    }
    if (was_committed) committed(sent);
    chain(sent, received);
    if (sent > *certain_) {  // place: sample_is_newer
        const auto grain = std::max(timeout_ / k_timeout_grain, relay_bound() / k_relay_grain);
        unproven_.remember(sent, received, grain, relay_bound());
    }
    last_answered_ = std::max(last_answered_.value_or(sent), sent);
    TURNSTILE_CHECK(*chain_ >= *certain_);
}

// The leader has had the touch by `received`, or by R later where it is relayed.
void lease::chain(time_point sent, time_point received) {
    TURNSTILE_CHECK(chain_);
    const bool directly = direct_since_ && sent >= *direct_since_;
    const auto arrived = directly ? received : received + relay_bound();
    if (arrived <= chained_until()) chain_ = std::max(*chain_, sent);  // place: chain_goes_on
}

void lease::committed(time_point sent) {
    if (before_attach_) {
        advance(*before_attach_, relayed());
        before_attach_.reset();
    }
    while (const auto proven = unproven_.take_proven(sent, relay_bound()))
        advance(*proven, relayed());
    if (direct_since_ && sent >= *direct_since_) advance(sent, evidence::direct);
}

void lease::advance(time_point certain, evidence how) {
    if (certain_ && certain <= *certain_) return;  // place: certain_only_grows
    certain_ = certain;
    evidence_ = how;
    chain_ = std::max(*chain_, certain);
}

// A clock that runs too fast shows R before it is over.
duration lease::lengthened(duration wanted) const {
    return scaled(wanted, 1 + rule_.clock_drift);
}

duration lease::relay_bound() const {
    return lengthened(relay_bound_);
}

bool lease::can_be_kept() const {
    return most_left() > timeout_ / k_least_left;
}

bool lease::is_ample() const {
    return is_direct() || timeout_ * k_of_bound >= relay_bound_ * k_ample;
}

duration lease::certain_for() const {
    return timeout_ - scaled(timeout_, rule_.clock_drift);
}

time_point lease::valid_until() const {
    if (!established_ || !certain_) return time_point::min();
    return *certain_ + certain_for();
}

time_point lease::chained_until() const {
    return chain_ ? *chain_ + certain_for() : valid_until();
}

time_point lease::trusted_until() const {
    if (!chain_) return valid_until();
    return std::max(valid_until(), is_direct() ? chained_until() : chained_until() - relay_bound());
}

duration lease::keep_alive() const {
    const auto gap = std::max(most_left() / 2, timeout_ / k_least_keep_alive);
    return std::min(timeout_ * k_keep_alive_tenths / 10, gap);
}

time_point lease::hopeless_from() const {
    return before_attach_ ? std::max(valid_until(), *before_attach_ + certain_for())
                          : valid_until();
}

std::optional<time_point> lease::next_useful_write() const {
    if (!chain_) return std::nullopt;
    if (direct_since_) return *direct_since_;
    if (before_attach_ && certain_ && *before_attach_ > *certain_) return time_point::min();
    return unproven_.next_proof(relay_bound());
}

}  // namespace turnstile::core
