// SPDX-License-Identifier: Apache-2.0
// survey_plan: how much a survey reads, and when the next one comes, so that the servers have a bounded cost of it.
//
// Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "turnstile/lock_survey.hpp"

namespace turnstile::admin {

struct reading_settings {
    std::chrono::milliseconds refresh{1'000};   // between two surveys, at the least
    std::uint64_t requests_per_second = 2'000;  // to the servers, as an average
};

// A survey reads so many contenders at the most: what a snapshot has in memory.
inline constexpr std::size_t k_most_contenders_read = 40'000;

struct survey_cost {
    std::uint64_t requests = 0;
    std::chrono::milliseconds took{};
};

// The requests of a survey: a list for each folder above a lock, one for each contender that was read and for each
// semaphore's folder. Folders without a lock below them are not known here: it is what is sent at the least.
[[nodiscard]] std::uint64_t requests_of(const lock_survey& survey);

// Of each lock so many contenders can be read without exceeding `most` in all. 1 at the least: the first holder.
[[nodiscard]] std::size_t depth_within(const lock_survey& names, std::size_t most);

// From the end of a survey to the next one: the average stays below the requests per second, a fifth of the time goes into reading,
// and where no person looks ten times as long passes.
[[nodiscard]] std::chrono::milliseconds pause_after(const survey_cost& cost,
                                                    const reading_settings& settings, bool watched);

}  // namespace turnstile::admin
