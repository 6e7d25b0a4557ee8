// drifting_clock: a client's clock, which starts anywhere and runs a little too fast or too slow
// against the true time (the servers'). A value.
#pragma once

#include <cstdint>

#include "core/seam.hpp"

namespace turnstile::simulation {

// The true time of a history: that of the servers' clocks. It has the type of the clients' times; the
// conversions below are the only way from one to the other.
using instant = core::time_point;

class drifting_clock {
public:
    drifting_clock() = default;
    drifting_clock(core::duration offset, std::int64_t parts_per_million)
        : offset_{offset}, rate_{parts_per_million} {}

    [[nodiscard]] core::time_point local(instant when) const {
        const auto since = when.time_since_epoch();
        return core::time_point{since + offset_ + since * rate_ / k_million};
    }
    // The first true instant at which the clock shows `local` or later; histories last hours at the
    // most, so that the products fit.
    [[nodiscard]] instant when(core::time_point local) const {
        const auto shown = local.time_since_epoch() - offset_;
        return instant{shown - shown * rate_ / (k_million + rate_) + core::duration{2}};
    }

private:
    static constexpr std::int64_t k_million = 1'000'000;

    core::duration offset_{};
    std::int64_t rate_ = 0;
};

}  // namespace turnstile::simulation
