// SPDX-License-Identifier: Apache-2.0
#include "admin/http/connection_table.hpp"

namespace turnstile::admin {

std::size_t connection_table::count(const std::string& key) const {
    const auto found = counts_.find(key);
    return found == counts_.end() ? 0 : found->second;
}

std::optional<std::uint64_t> connection_table::oldest_idle(const std::string& key) const {
    std::optional<std::uint64_t> oldest;
    std::uint64_t since = 0;
    for (const auto& [id, each] : entries_) {
        if (each.idle_since == 0 || each.key != key) continue;
        if (oldest && each.idle_since >= since) continue;
        oldest = id;
        since = each.idle_since;
    }
    return oldest;
}

std::optional<std::uint64_t> connection_table::oldest_idle_of_largest() const {
    std::optional<std::uint64_t> oldest;
    std::size_t largest = 0;
    for (const auto& [key, count] : counts_) {
        if (count <= largest) continue;
        const auto found = oldest_idle(key);
        if (!found) continue;
        oldest = found;
        largest = count;
    }
    return oldest;
}

connection_table::admission connection_table::admit(const std::string& key) {
    admission result;
    const auto own = count(key);
    const bool address_is_full = own >= rule_.most_of_address;
    const auto places = own == 0 ? rule_.most : rule_.most - rule_.kept;
    if (address_is_full || entries_.size() >= places) {
        result.dropped = address_is_full ? oldest_idle(key) : oldest_idle_of_largest();
        if (!result.dropped) return result;
        remove(*result.dropped);
    }
    result.id = ++turns_;
    entries_.emplace(*result.id, entry{key, turns_});
    ++counts_[key];
    return result;
}

void connection_table::set_idle(std::uint64_t id, bool idle) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    found->second.idle_since = idle ? ++turns_ : 0;
}

void connection_table::remove(std::uint64_t id) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    const auto counted = counts_.find(found->second.key);
    if (--counted->second == 0) counts_.erase(counted);
    entries_.erase(found);
}

}  // namespace turnstile::admin
