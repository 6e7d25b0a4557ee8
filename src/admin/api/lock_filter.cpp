// SPDX-License-Identifier: Apache-2.0
#include "admin/api/lock_filter.hpp"

#include <algorithm>

#include "admin/http/refusal.hpp"
#include "support/hexadecimal.hpp"
#include "turnstile/tools/path.hpp"

namespace turnstile::admin {

std::string lock_path(std::string path) {
    if (const auto valid = validate_path(path); !valid)
        throw refusal{400, "bad_request", valid.error().message()};
    if (path == "/")
        throw refusal{400, "bad_request", "path \"/\": the root cannot be a lock's path"};
    return path;
}

lock_kind lock_kind_named(const std::string& word) {
    const auto kind = lock_kind_of(word);
    if (!kind)
        throw refusal{400, "bad_request", "kind is " + word + ": there is no such kind of lock"};
    return *kind;
}

namespace {

std::string lower(std::string_view said) {
    std::string text{said};
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

bool has_path(const surveyed_lock& lock, const std::string& prefix) {
    return prefix.starts_with('/') ? lock.path.starts_with(prefix)
                                   : lock.path.find(prefix) != std::string::npos;
}

bool has_holder(const surveyed_lock& lock, const std::string& wanted) {
    return std::any_of(lock.holders.begin(), lock.holders.end(),
                       [&](const contender& each) { return says(each, wanted); });
}

void sort_places(std::vector<std::size_t>& places, const snapshot& seen, lock_order order) {
    const auto& locks = seen.survey.locks;  // sorted by path already
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

bool says(const contender& each, std::string_view part) {
    const auto wanted = lower(part);
    const auto& said = each.metadata;
    const auto session = support::hexadecimal_number(each.session_id);
    for (const auto* text : {&said.host, &said.pid, &said.label, &said.owner, &session})
        if (lower(*text).find(wanted) != std::string::npos) return true;
    return false;
}

std::vector<std::size_t> chosen_locks(const snapshot& seen, const lock_filter& filter) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i != seen.survey.locks.size(); ++i) {
        const auto& lock = seen.survey.locks[i];
        if ((!filter.kind || lock.kind == *filter.kind) && has_path(lock, filter.prefix) &&
            (filter.holder.empty() || has_holder(lock, filter.holder)))
            places.push_back(i);
    }
    sort_places(places, seen, filter.order);
    return places;
}

}  // namespace turnstile::admin
