// SPDX-License-Identifier: Apache-2.0
// drifting_clock: a client's clock. It has an offset, is a little fast or slow compared with the true time, and stops
// while the client's machine stops. Copies are independent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::simulation {

// The true time of a simulated history. It has the same type as a client's time, but only the functions below convert
// between them.
using instant = core::time_point;

class drifting_clock {
public:
    drifting_clock() = default;
    drifting_clock(core::duration offset, std::int64_t parts_per_million)
        : offset_{offset}, rate_{parts_per_million} {}

    // Stops the clock until go_on().
    void stop(instant when) { stopped_ = when; }
    void go_on(instant when) {
        if (stopped_) offset_ -= local_of(when) - local_of(*stopped_);
        stopped_.reset();
    }

    [[nodiscard]] core::time_point local(instant when) const {
        return local_of(stopped_ ? std::min(when, *stopped_) : when);
    }
    // Returns the first true instant at which the clock shows at least `local`, if it does not stop before. The
    // products do not overflow, because a history lasts a few hours at most.
    [[nodiscard]] instant when(core::time_point local) const {
        const auto shown = local.time_since_epoch() - offset_;
        return instant{shown - shown * rate_ / (k_million + rate_) + core::duration{2}};
    }

private:
    [[nodiscard]] core::time_point local_of(instant when) const {
        const auto since = when.time_since_epoch();
        return core::time_point{since + offset_ + since * rate_ / k_million};
    }
    static constexpr std::int64_t k_million = 1'000'000;

    core::duration offset_{};
    std::int64_t rate_ = 0;
    std::optional<instant> stopped_;
};

}  // namespace turnstile::simulation
