// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/survey_plan.hpp"

#include <algorithm>

namespace turnstile::admin {
namespace {

using std::chrono::milliseconds;

constexpr int k_pause_per_reading = 1;
constexpr int k_unwatched_factor = 10;
constexpr double k_seconds_in_advance = 10;

}  // namespace

std::size_t round_size(const reading_settings& settings) noexcept {
    const auto share =
        settings.requests_per_second * static_cast<std::uint64_t>(settings.refresh.count()) / 1'000;
    return std::max<std::size_t>(share, 1);
}

request_budget::request_budget(const reading_settings& settings,
                               boottime_clock::time_point now) noexcept
    : per_second_{static_cast<double>(settings.requests_per_second)},
      tokens_{per_second_ * k_seconds_in_advance},
      filled_{now} {}

double request_budget::tokens_at(boottime_clock::time_point now) const noexcept {
    const std::chrono::duration<double> passed = now - filled_;
    return std::min(tokens_ + passed.count() * per_second_, per_second_ * k_seconds_in_advance);
}

std::size_t request_budget::allowed(boottime_clock::time_point now) const noexcept {
    return static_cast<std::size_t>(std::max(tokens_at(now), 0.0));
}

void request_budget::spend(std::size_t requests, boottime_clock::time_point at) noexcept {
    tokens_ = tokens_at(at) - static_cast<double>(requests);
    filled_ = at;
}

milliseconds pause_after(const round_cost& cost, const reading_settings& settings, bool watched) {
    const auto whole = round_size(settings);
    const auto missing = whole - std::min(whole, cost.allowed);
    const milliseconds until_allowed{missing * 1'000 /
                                     std::max<std::uint64_t>(settings.requests_per_second, 1)};
    milliseconds least{};
    if (!watched) least = settings.refresh * k_unwatched_factor;
    if (watched && cost.complete) least = settings.refresh;
    return std::max({least, until_allowed, cost.took * k_pause_per_reading});
}

}  // namespace turnstile::admin
