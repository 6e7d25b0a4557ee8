// SPDX-License-Identifier: Apache-2.0
#include "core/lease/unproven_answers.hpp"

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

}  // namespace turnstile::core
