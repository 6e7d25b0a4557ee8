// SPDX-License-Identifier: Apache-2.0
// listed_lock: a lock as the list of its folder shows it: by the names of its contenders, before any of them was read.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "turnstile/lock_survey.hpp"

namespace turnstile::detail {

// The servers' own znodes: configuration and quotas.
inline constexpr const char* k_servers_own = "/zookeeper";
// What a survey takes.
inline constexpr std::size_t k_most_folders = 100'000;

struct listed_lock {
    lock_kind kind = lock_kind::mutex;
    std::vector<std::string> names;  // in the order of arrival
};

struct listed_folder {
    std::vector<listed_lock> locks;
    std::vector<std::string> folders;  // names of children that are no contenders
};

// What the children of a folder are.
[[nodiscard]] listed_folder sort_children(std::vector<std::string> children);

// What the znode of a contender of such a lock answered. Its position is left to the caller.
[[nodiscard]] contender describe_listed(lock_kind kind, const std::string& name,
                                        const core::reply& answer);

// The refusal of a survey that would take more folders than that.
[[nodiscard]] error too_many_folders(const std::string& folder);

}  // namespace turnstile::detail
