// SPDX-License-Identifier: Apache-2.0
// stripes: computes the number of the lock for a path, from a hash of the path. Two paths may have the same number;
// their transactions may then wait for each other without need.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::sql {

// MariaDB's table turnstile_stripes has this many rows.
inline constexpr std::uint32_t k_stripes = 1024;

// FNV-1a: every build of every program gets the same result.
[[nodiscard]] inline std::uint32_t hash_of(std::string_view text) noexcept {
    std::uint32_t hash = 2166136261U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
}

// Returns the numbers of the paths' locks in ascending order. Every transaction must lock in this order, to avoid
// deadlocks.
[[nodiscard]] inline std::vector<std::int64_t> stripes_of(std::span<const std::string> paths) {
    std::set<std::int64_t> stripes;
    for (const std::string& path : paths) stripes.insert(hash_of(path) % k_stripes);
    return {stripes.begin(), stripes.end()};
}

}  // namespace turnstile::sql
