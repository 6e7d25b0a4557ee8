// SPDX-License-Identifier: Apache-2.0
#include "core/session/shared_lists.hpp"

#include <utility>

#include "base/check.hpp"

namespace turnstile::core {

bool shared_lists::is_under_way(const std::string& folder, std::uint64_t connection) const {
    const auto found = by_folder_.find(folder);
    return found != by_folder_.end() && found->second.connection == connection;
}

void shared_lists::join(const std::string& folder, const list_sharer& sharer) {
    const auto found = by_folder_.find(folder);
    TURNSTILE_CHECK(found != by_folder_.end());
    found->second.next.push_back(sharer);
}

void shared_lists::sent(const std::string& folder, std::uint64_t connection, ticket request) {
    TURNSTILE_CHECK(connection != 0);
    auto& list = by_folder_[folder];
    TURNSTILE_CHECK(list.next.empty() || list.connection != connection);
    list.connection = connection;
    list.request = request;
}

std::vector<list_sharer> shared_lists::answered(const std::string& folder, ticket request) {
    const auto found = by_folder_.find(folder);
    if (found == by_folder_.end() || found->second.request != request) return {};
    auto next = std::exchange(found->second.next, {});
    if (next.empty()) by_folder_.erase(found);
    return next;
}

}  // namespace turnstile::core
