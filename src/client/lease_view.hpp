// SPDX-License-Identifier: Apache-2.0
// lease_view: publishes the lease of a session, so that guards can read the lease without a lock. A session at the
// servers has one view for its whole epoch, the time from its opening until its end.
//
//     lease_of_epoch   the view of the present epoch; a value under the session's lock
//
// Thread safety: any number of readers and one writer at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/lease/lease.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::detail {

class lease_view {
public:
    void publish(const core::lease& lease) noexcept {
        evidence_.store(static_cast<int>(lease.rests_on()), std::memory_order_relaxed);
        valid_until_.store(lease.valid_until().time_since_epoch().count(),
                           std::memory_order_release);
    }
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept {
        return boottime_clock::time_point{
            boottime_clock::duration{valid_until_.load(std::memory_order_acquire)}};
    }
    [[nodiscard]] lease_evidence evidence() const noexcept {
        return static_cast<lease_evidence>(evidence_.load(std::memory_order_relaxed));
    }

private:
    static_assert(static_cast<int>(core::evidence::direct) ==
                  static_cast<int>(lease_evidence::direct));
    static_assert(static_cast<int>(core::evidence::assumed) ==
                  static_cast<int>(lease_evidence::assumed));
    std::atomic<boottime_clock::rep> valid_until_{
        boottime_clock::time_point::min().time_since_epoch().count()};
    std::atomic<int> evidence_{static_cast<int>(lease_evidence::relayed)};
};

class lease_of_epoch {
public:
    // Publishes the lease. For a new epoch (session), makes a new view; guards of earlier epochs keep their view.
    void publish(std::uint64_t epoch, const core::lease& lease) {
        if (std::exchange(epoch_, epoch) != epoch) view_ = std::make_shared<lease_view>();
        view_->publish(lease);
    }
    [[nodiscard]] const std::shared_ptr<lease_view>& view() const noexcept { return view_; }

private:
    std::uint64_t epoch_ = 0;
    std::shared_ptr<lease_view> view_ = std::make_shared<lease_view>();
};

}  // namespace turnstile::detail
