// SPDX-License-Identifier: Apache-2.0
#include "core/session/shared_lists.hpp"

#include <cassert>
#include <utility>

namespace turnstile::core {

bool shared_lists::is_under_way(const std::string& folder, std::uint64_t connection) const {
    const auto found = by_folder_.find(folder);
    return found != by_folder_.end() && found->second.connection == connection;
}

void shared_lists::join(const std::string& folder, const list_sharer& sharer) {
    const auto found = by_folder_.find(folder);
    assert(found != by_folder_.end());
    found->second.next.push_back(sharer);
}

void shared_lists::sent(const std::string& folder, std::uint64_t connection, ticket request) {
    auto& list = by_folder_[folder];
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
