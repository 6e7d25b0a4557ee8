// SPDX-License-Identifier: Apache-2.0
// listed_lock: a lock whose folder was listed. The names of its contenders are known, but no contender's znode was
// read.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "turnstile/lock_survey.hpp"

namespace turnstile::detail {

// The folder of the servers' own znodes: configuration and quotas.
inline constexpr const char* k_servers_own = "/zookeeper";
inline constexpr std::size_t k_most_folders = 100'000;

struct listed_lock {
    lock_kind kind = lock_kind::mutex;
    std::vector<std::string> names;  // in the order of arrival
};

struct listed_folder {
    std::vector<listed_lock> locks;
    std::vector<std::string> folders;  // names of children that are no contenders
};

// Divides the children of a folder into contenders, which it groups by the kind of lock, and further folders.
[[nodiscard]] listed_folder sort_children(std::vector<std::string> children);

// Describes a lock's contender from the answer to a read of its znode. The caller must set the position.
[[nodiscard]] contender describe_listed(lock_kind kind, const std::string& name,
                                        const core::reply& answer);

[[nodiscard]] error too_many_folders(const std::string& folder);

}  // namespace turnstile::detail
