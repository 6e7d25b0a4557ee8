// SPDX-License-Identifier: Apache-2.0
// process_clock: the clock of one process in a run. The clock may have an offset, and may be fast or slow. All clock
// ids (CLOCK_REALTIME, CLOCK_BOOTTIME, ...) show this clock's time in the process. All times are in nanoseconds.
// Copies are independent.
#pragma once

#include <cstdint>

namespace turnstile::schedule {

class process_clock {
public:
    // Time that all clocks without an offset show at the start of a run.
    static constexpr std::int64_t k_start = 1'000'000'000'000'000;

    process_clock() = default;
    // The rate must be below 100,000 parts per million. A run lasts a few days at most, so the products below do not
    // overflow.
    process_clock(std::int64_t offset, std::int64_t parts_per_million)
        : offset_{offset}, rate_{parts_per_million} {}

    [[nodiscard]] std::int64_t shown(std::int64_t true_time) const noexcept {
        const auto since = true_time - k_start;
        return true_time + offset_ + since / k_million * rate_ +
               since % k_million * rate_ / k_million;
    }
    // Returns the first true time at which the clock shows at least `shown`.
    [[nodiscard]] std::int64_t when(std::int64_t shown) const noexcept {
        if (rate_ == 0) return shown - offset_;
        const auto since = shown - offset_ - k_start;
        const auto gone = static_cast<std::int64_t>(static_cast<long double>(since) * k_million /
                                                    static_cast<long double>(k_million + rate_));
        auto found = k_start + gone - 2;
        while (this->shown(found) < shown) ++found;
        return found;
    }

private:
    static constexpr std::int64_t k_million = 1'000'000;

    std::int64_t offset_ = 0;
    std::int64_t rate_ = 0;
};

}  // namespace turnstile::schedule
