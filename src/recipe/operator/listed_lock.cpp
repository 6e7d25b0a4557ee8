// SPDX-License-Identifier: Apache-2.0
#include "recipe/operator/listed_lock.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "core/queue/contender_name.hpp"
#include "recipe/lock/lock_queries.hpp"
#include "recipe/operator/kazoo_name.hpp"
#include "recipe/operator/survey_rule.hpp"

namespace turnstile::detail {
namespace {

std::int32_t sequence_of(const std::string& name) {
    if (const auto theirs = parse_kazoo(name)) return theirs->sequence;
    return core::contender_sequence(name).value_or(0);
}

void sort_by_arrival(listed_lock& lock) {
    if (lock.kind != lock_kind::kazoo) {
        const auto family = core::family(core::parse_contender(lock.names.front())->wants.kind);
        lock.names = contenders_among(std::move(lock.names), family);
        return;
    }
    const auto pivot = sequence_of(lock.names.front());
    std::sort(lock.names.begin(), lock.names.end(), [pivot](const auto& a, const auto& b) {
        return core::sequence_distance(sequence_of(a), pivot) <
               core::sequence_distance(sequence_of(b), pivot);
    });
}

}  // namespace

listed_folder sort_children(std::vector<std::string> children) {
    listed_folder found;
    std::map<lock_kind, listed_lock> locks;
    for (auto& child : children) {
        const auto kind = lock_of(child);
        if (!kind) {
            found.folders.push_back(std::move(child));
            continue;
        }
        auto& lock = locks[*kind];
        lock.kind = *kind;
        lock.names.push_back(std::move(child));
    }
    for (auto& [kind, lock] : locks) {
        sort_by_arrival(lock);
        found.locks.push_back(std::move(lock));
    }
    return found;
}

contender describe_listed(lock_kind kind, const std::string& name, const core::reply& answer) {
    auto entry = describe_one(name, answer);
    if (kind == lock_kind::kazoo) {
        entry.sequence = sequence_of(entry.name);
        entry.kind =
            parse_kazoo(entry.name)->reads ? contender_kind::reader : contender_kind::mutex;
    }
    return entry;
}

error too_many_folders(const std::string& folder) {
    return {errc::too_many, fmt::format("{}: more than {} folders below this one, and a survey "
                                        "examines no more; name a folder further down",
                                        folder, k_most_folders)};
}

}  // namespace turnstile::detail
