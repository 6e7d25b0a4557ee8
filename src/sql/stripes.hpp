// SPDX-License-Identifier: Apache-2.0
// stripes: a path is locked by one of a few numbers, from a hash. Paths that share a number wait for each other
// without need.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace turnstile::sql {

// MariaDB's table has this many rows.
inline constexpr std::uint32_t k_stripes = 1024;

// FNV-1a: the same in every build of every process.
[[nodiscard]] inline std::uint32_t hash_of(std::string_view text) noexcept {
    std::uint32_t hash = 2166136261U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
}

// Ascending: two transactions that lock them in this order do not wait for each other in a cycle.
[[nodiscard]] inline std::set<std::int64_t> stripes_of(std::span<const std::string> paths) {
    std::set<std::int64_t> stripes;
    for (const std::string& path : paths) stripes.insert(hash_of(path) % k_stripes);
    return stripes;
}

}  // namespace turnstile::sql
