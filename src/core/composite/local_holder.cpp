// SPDX-License-Identifier: Apache-2.0
#include "core/composite/local_holder.hpp"

#include <algorithm>

namespace turnstile::core {

std::optional<time_point> local_holder::next_warning(time_point lease_end) const {
    return warned_ ? warned_of_ : warning_due(lease_end);  // place: next_warning
}

bool local_holder::warn(time_point lease_end, time_point now) {
    const auto due = warning_due(lease_end);
    const bool near = due && *due <= now;
    const bool looks_again = warned_of_ && *warned_of_ <= now;
    if (!near || looks_again) warned_of_.reset();
    warned_ = near && warned_ && !(looks_again && now < lease_end);
    if (!near || warned_) return false;
    warned_ = true;
    if (now < lease_end) warned_of_ = lease_end;
    return true;
}

std::optional<time_point> local_holder::warning_due(time_point lease_end) const {
    if (warn_before_ <= duration{} || lease_end == time_point::min()) return std::nullopt;
    return std::min(lease_end, end_.value_or(time_point::max())) - warn_before_;
}

}  // namespace turnstile::core
