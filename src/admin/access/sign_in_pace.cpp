// SPDX-License-Identifier: Apache-2.0
#include "admin/access/sign_in_pace.hpp"

#include <algorithm>

namespace turnstile::admin {

std::chrono::milliseconds sign_in_pace::wait(const std::string& key,
                                             boottime_clock::time_point now) const {
    const auto found = records_.find(key);
    if (found == records_.end() || found->second.failures < k_free_failures ||
        now - found->second.last >= k_memory)
        return {};
    const auto doublings = std::min(found->second.failures - k_free_failures, 8U);
    const auto whole =
        std::min<std::chrono::seconds>(std::chrono::seconds{1U << doublings}, k_longest_wait);
    const auto left = found->second.last + whole - now;
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(left),
                    std::chrono::milliseconds{0});
}

void sign_in_pace::make_room(boottime_clock::time_point now) {
    std::erase_if(records_, [now](const auto& each) { return now - each.second.last >= k_memory; });
    if (records_.size() < k_most_keys) return;
    records_.erase(std::min_element(records_.begin(), records_.end(), [](auto& a, auto& b) {
        return a.second.last < b.second.last;
    }));
}

void sign_in_pace::failed(const std::string& key, boottime_clock::time_point now) {
    if (!records_.contains(key) && records_.size() >= k_most_keys) make_room(now);
    auto& found = records_[key];
    if (now - found.last >= k_memory) found.failures = 0;
    ++found.failures;
    found.last = now;
}

void sign_in_pace::succeeded(const std::string& key) {
    records_.erase(key);
}

}  // namespace turnstile::admin
