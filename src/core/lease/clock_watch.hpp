// SPDX-License-Identifier: Apache-2.0
// clock_watch: finds out that the machine has stood still and CLOCK_BOOTTIME with it.
//
//     clock_watch watch{session_timeout};
//     if (const auto ahead = watch.compare(now, wall); ahead > duration{}) core.on(clock_stepped{ahead}, now);
//
// Many hypervisors stop the clocks of a guest that is paused, migrated or restored. What goes on outside is the
// time of day: when something sets the guest's wall clock afterwards (the hypervisor's agent, chrony, ntpd), it goes
// ahead of CLOCK_BOOTTIME by as much as the machine stood still. The two part for other reasons, too: drift and slewing
// are allowed for, k_slew of the time that has passed and k_tolerated once. A step by an administrator looks like a
// pause and is taken for one, which ends leases needlessly. A step back says nothing, and the watch starts anew from
// there.
//
// Pauses shorter than k_tolerated are not seen, but those within `window` add up. A value, told the time; thread
// safety: one thread at a time.
#pragma once

#include <chrono>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::core {

class clock_watch {
public:
    // ntpd and the kernel slew by no more than 500 parts of a million; chrony by as much as its maxslewrate says, which
    // lease.md's A1 limits. (A slewed wall clock takes CLOCK_BOOTTIME along, so that none of that is seen here.)
    static constexpr double k_slew = 0.001;
    static constexpr duration k_tolerated = std::chrono::milliseconds{200};

    explicit clock_watch(duration window) : window_{window} {}

    // Compares the clocks and keeps what they showed. `wall`: of the wall clock, since its epoch, read together with
    // `now`. Returns by how much it has gone ahead; zero while the two agree.
    [[nodiscard]] duration compare(time_point now, duration wall) {
        const auto apart = wall - now.time_since_epoch();
        if (!base_ || apart < base_->apart) {
            base_ = sample{now, apart};
            return {};
        }
        const auto lead = apart - base_->apart;
        const auto passed = now - base_->at;
        const auto slewed =
            duration{static_cast<duration::rep>(k_slew * static_cast<double>(passed.count()))};
        const bool stepped = lead > k_tolerated + slewed;
        if (stepped || passed >= window_) base_ = sample{now, apart};
        return stepped ? lead : duration{};
    }

private:
    struct sample {
        time_point at;
        duration apart;
    };

    duration window_;
    std::optional<sample> base_;
};

}  // namespace turnstile::core
