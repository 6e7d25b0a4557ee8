// SPDX-License-Identifier: Apache-2.0
#include "admin/api/lock_filter.hpp"

#include <algorithm>

namespace turnstile::admin {
namespace {

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

bool has_path(const surveyed_lock& lock, const std::string& prefix) {
    return prefix.starts_with('/') ? lock.path.starts_with(prefix)
                                   : lock.path.find(prefix) != std::string::npos;
}

bool has_holder(const surveyed_lock& lock, const std::string& wanted) {
    for (const auto& each : lock.holders) {
        const auto& said = each.metadata;
        for (const auto* text : {&said.host, &said.pid, &said.label, &said.owner})
            if (lower(*text).find(wanted) != std::string::npos) return true;
    }
    return false;
}

void sort_places(std::vector<std::size_t>& places, const snapshot& seen, lock_order order) {
    const auto& locks = seen.survey.locks;  // they are by path already
    if (order == lock_order::contended)
        std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
            return waiters_of(locks[a]) > waiters_of(locks[b]);
        });
    if (order == lock_order::held)
        std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
            const auto first = seen.held_since[a];
            const auto second = seen.held_since[b];
            return first && (!second || *first < *second);
        });
}

}  // namespace

std::vector<std::size_t> chosen_locks(const snapshot& seen, const lock_filter& filter) {
    const auto holder = lower(filter.holder);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i != seen.survey.locks.size(); ++i) {
        const auto& lock = seen.survey.locks[i];
        if ((!filter.kind || lock.kind == *filter.kind) && has_path(lock, filter.prefix) &&
            (holder.empty() || has_holder(lock, holder)))
            places.push_back(i);
    }
    sort_places(places, seen, filter.order);
    return places;
}

}  // namespace turnstile::admin
