// SPDX-License-Identifier: Apache-2.0
#include "cli/supervision.hpp"

#include <algorithm>

#include "support/clock_drift.hpp"

namespace turnstile::cli {

void supervision::confirmed_until(time_point valid_until) noexcept {
    if (!terminated_) valid_until_ = valid_until;
}

supervision::action supervision::due(time_point now) noexcept {
    if (policy_ == lost_policy::none || killed_) return action::none;
    if (over_ || (valid_until_ && now >= *valid_until_ - k_kill_margin)) {
        killed_ = true;
        return action::kill;
    }
    const bool terminates = policy_ == lost_policy::terminate && !terminated_;
    if (terminates && valid_until_ && now >= *valid_until_ - grace_ - k_kill_margin) {
        terminated_ = true;
        return action::terminate;
    }
    return action::none;
}

std::optional<supervision::time_point> supervision::next() const noexcept {
    if (policy_ == lost_policy::none || killed_ || !valid_until_) return std::nullopt;
    const auto kill_at = *valid_until_ - k_kill_margin;
    return policy_ == lost_policy::terminate && !terminated_ ? kill_at - grace_ : kill_at;
}

bool is_end_of(boottime_clock::time_point longest,
               boottime_clock::time_point valid_until) noexcept {
    constexpr std::chrono::milliseconds k_grant_known_after{100};
    return valid_until >= longest - k_grant_known_after;
}

std::chrono::milliseconds longest_grace(const lease_terms& terms) noexcept {
    constexpr int k_intervals = 3;
    const auto reduced = std::chrono::floor<std::chrono::milliseconds>(
        support::shortened(terms.session_timeout, terms.clock_drift));
    const auto late = terms.session_timeout * k_intervals / k_confirmations_per_timeout;
    return std::max(reduced - terms.relay_bound - late - k_kill_margin,
                    std::chrono::milliseconds{0});
}

}  // namespace turnstile::cli
