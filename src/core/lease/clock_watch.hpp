// SPDX-License-Identifier: Apache-2.0
// clock_watch: detects that the machine stood still while CLOCK_BOOTTIME did not advance.
//
//     clock_watch watch{session_timeout};
//     if (const auto ahead = watch.compare(now, wall); ahead > duration{}) core.on(clock_stepped{ahead}, now);
//
// Many hypervisors stop the clocks of a guest that they pause, migrate or restore. Later the hypervisor's agent, chrony
// or ntpd sets the guest's wall clock to the time of day. Then the wall clock is ahead of CLOCK_BOOTTIME by the length
// of the pause. The watch tolerates a difference of k_tolerated plus k_slew of the time that has passed. If an
// administrator sets the wall clock forward, the watch takes this for a pause, and leases end without need. If the wall
// clock steps back, the watch starts again from the new difference.
//
// The watch misses a pause shorter than k_tolerated, but detects several short pauses within `window` by their sum.
//
// Thread safety: a value, one thread at a time. The caller passes the time.
#pragma once

#include <chrono>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::core {

class clock_watch {
public:
    // The tolerated difference grows by this fraction of the time that has passed. A time daemon slews (slowly
    // corrects) the wall clock and CLOCK_BOOTTIME by the same amount. So slewing changes their difference only in the
    // short time between the reading of one clock and the reading of the other. ntpd and the kernel slew by at most 500
    // parts per million. Assumption A1 of lease.md limits chrony's maxslewrate.
    static constexpr double k_slew = 0.001;
    static constexpr duration k_tolerated = std::chrono::milliseconds{200};

    explicit clock_watch(duration window) : window_{window} {}

    // Compares the two clocks, and stores their difference. `wall` is the time since the wall clock's epoch, read
    // together with `now`. Returns the time by which the wall clock has stepped ahead; zero if it has not.
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
