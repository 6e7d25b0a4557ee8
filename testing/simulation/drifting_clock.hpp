// SPDX-License-Identifier: Apache-2.0
// drifting_clock: a client's clock. It starts at any time, runs a little too fast or too slow compared with the
// servers' true time, and stops while the client's machine is stopped. A value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::simulation {

// The true time of a history, which the servers' clocks show. It has the type of the clients' times, but only the
// conversions below lead from true times to clients' times and back.
using instant = core::time_point;

class drifting_clock {
public:
    drifting_clock() = default;
    drifting_clock(core::duration offset, std::int64_t parts_per_million)
        : offset_{offset}, rate_{parts_per_million} {}

    // Stops the clock. It shows the same time until it resumes.
    void stop(instant when) { stopped_ = when; }
    void go_on(instant when) {
        if (stopped_) offset_ -= local_of(when) - local_of(*stopped_);
        stopped_.reset();
    }

    [[nodiscard]] core::time_point local(instant when) const {
        return local_of(stopped_ ? std::min(when, *stopped_) : when);
    }
    // Returns the first true instant at which the clock shows `local` or a later time, if the clock does not stop
    // before. Histories last a few hours at most, so the products do not overflow.
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
