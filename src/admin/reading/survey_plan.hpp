// SPDX-License-Identifier: Apache-2.0
// survey_plan: bounds the load on the servers. The admin page's thread reads all locks in rounds. These functions limit
// the requests of each round, and set the pause between rounds.
//
//     request_budget   an average of requests per second, and a burst
//
// Thread safety: a pure function and a value; one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "turnstile/clock.hpp"

namespace turnstile::admin {

struct reading_settings {
    std::chrono::milliseconds refresh{1'000};   // minimum between two rounds
    std::uint64_t requests_per_second = 2'000;  // to the servers, on average
};

// The time for which a user counts as watching the admin page after the user's latest request. While no user watches,
// the server reads the data less often.
inline constexpr std::chrono::seconds k_attention{30};

// The largest number of contenders that the admin page's server reads in one read of all locks. This limit bounds a
// snapshot's memory.
inline constexpr std::size_t k_most_contenders_read = 40'000;

// The admin page's server reads all locks in rounds. Returns the largest number of requests in a round. The next round
// reads the remaining locks.
[[nodiscard]] std::size_t round_size(const reading_settings& settings) noexcept;

// A budget for requests: an average per second, and a burst of ten seconds' requests.
class request_budget {
public:
    request_budget(const reading_settings& settings, boottime_clock::time_point now) noexcept;

    [[nodiscard]] std::size_t allowed(boottime_clock::time_point now) const noexcept;
    // Takes the requests from the budget. `at`: the time of the requests, not earlier than in the previous call.
    void spend(std::size_t requests, boottime_clock::time_point at) noexcept;

private:
    [[nodiscard]] double tokens_at(boottime_clock::time_point now) const noexcept;

    const double per_second_;
    double tokens_;
    boottime_clock::time_point filled_;
};

struct round_cost {
    std::chrono::milliseconds took{};
    bool complete = false;    // the round read everything
    std::size_t allowed = 0;  // requests allowed at its end
};

// Returns the pause after a round of requests to the servers. The pause is at least as long as the round, and lasts
// until the budget allows another whole round. It is at least `refresh` after a complete round, and at least ten times
// `refresh` while no user watches.
[[nodiscard]] std::chrono::milliseconds pause_after(const round_cost& cost,
                                                    const reading_settings& settings, bool watched);

}  // namespace turnstile::admin
