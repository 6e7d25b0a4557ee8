// SPDX-License-Identifier: Apache-2.0
// survey_plan: how much a round of the survey may ask, and when the next one comes, so that the servers have a bounded cost of
// it.
//
// Thread safety: a pure function and a value; one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "turnstile/clock.hpp"

namespace turnstile::admin {

struct reading_settings {
    std::chrono::milliseconds refresh{1'000};   // between two rounds, at the least
    std::uint64_t requests_per_second = 2'000;  // to the servers, as an average
};

// So many contenders are read at the most: what a snapshot has in memory.
inline constexpr std::size_t k_most_contenders_read = 40'000;

// The requests of a round where there is more to ask.
[[nodiscard]] std::size_t round_size(const reading_settings& settings) noexcept;

// Requests that may be sent: so many a second as an average, those of ten seconds in advance.
class request_budget {
public:
    request_budget(const reading_settings& settings, boottime_clock::time_point now) noexcept;

    [[nodiscard]] std::size_t allowed(boottime_clock::time_point now) const noexcept;
    // `at`: not before the latest ones.
    void spend(std::size_t requests, boottime_clock::time_point at) noexcept;

private:
    [[nodiscard]] double tokens_at(boottime_clock::time_point now) const noexcept;

    const double per_second_;
    double tokens_;
    boottime_clock::time_point filled_;
};

struct round_cost {
    std::chrono::milliseconds took{};
    bool complete = false;    // nothing was left over
    std::size_t allowed = 0;  // requests that may be sent at its end
};

// The pause after a round: until a whole round is allowed, and no shorter than the round. It is `refresh` at least if
// nothing was left over, and ten times that while no person looks.
[[nodiscard]] std::chrono::milliseconds pause_after(const round_cost& cost,
                                                    const reading_settings& settings, bool watched);

}  // namespace turnstile::admin
