// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/survey_plan.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace turnstile::admin {
namespace {

constexpr int k_pause_per_reading = 4;
constexpr int k_unwatched_factor = 10;

void add_folders(std::set<std::string_view>& folders, std::string_view path) {
    while (path.size() > 1 && folders.insert(path).second) path = path.substr(0, path.rfind('/'));
}

}  // namespace

std::uint64_t requests_of(const lock_survey& survey) {
    std::set<std::string_view> folders{"/"};
    std::uint64_t requests = 0;
    for (const auto& lock : survey.locks) {
        add_folders(folders, lock.path);
        requests += lock.holders.size() + lock.waiters.size();
        if (lock.kind == lock_kind::semaphore) ++requests;
    }
    for (const auto& folder : survey.unreadable) add_folders(folders, folder);
    return requests + folders.size();
}

std::size_t depth_within(const lock_survey& names, std::size_t most) {
    std::vector<std::size_t> counts;
    for (const auto& lock : names.locks) counts.push_back(lock.contenders);
    std::sort(counts.begin(), counts.end());
    // The shortest queues are read whole; what is left is shared evenly among the others.
    std::size_t left = most;
    for (std::size_t i = 0; i != counts.size(); ++i) {
        const std::size_t share = left / (counts.size() - i);
        if (counts[i] > share) return std::max<std::size_t>(share, 1);
        left -= counts[i];
    }
    return most;
}

std::chrono::milliseconds pause_after(const survey_cost& cost, const reading_settings& settings,
                                      bool watched) {
    const auto rate = std::max<std::uint64_t>(settings.requests_per_second, 1);
    const std::chrono::milliseconds allowed{cost.requests * 1'000 / rate};
    const auto least = watched ? settings.refresh : settings.refresh * k_unwatched_factor;
    return std::max({least, allowed - cost.took, cost.took * k_pause_per_reading});
}

}  // namespace turnstile::admin
