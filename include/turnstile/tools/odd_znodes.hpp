// SPDX-License-Identifier: Apache-2.0
// odd_znodes: what stands below a path and gets in the way of locks, or serves no purpose.
//
//     for (const auto& odd : turnstile::odd_znodes_below(servers, "/locks").value().found)
//         print(odd.path, to_string(odd.kind));
//
// Nothing is watched.
//
// Thread safety: functions, from any thread. They block; each wait is a Boost interruption point.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

enum class oddity {
    persistent_contender,  // a contender that goes with no session: its queue stands still behind it
    foreign_child,  // a znode in a lock's folder that is no contender: other libraries may wait for it
    empty_folder,  // a lock's folder without contenders: it stays, unless it is a container
};

// "persistent_contender"
[[nodiscard]] TURNSTILE_EXPORT const char* to_string(oddity kind) noexcept;

struct odd_znode {
    oddity kind{};
    std::string path;
};

struct odd_survey {
    std::vector<odd_znode> found;         // by path
    std::vector<std::string> unreadable;  // folders that an ACL keeps from us, by path
};

// At `folder` and below it, but for the servers' own "/zookeeper". An empty folder counts as a lock's if it had children
// and holds no data but a queue's mark; servers do not tell which znodes are containers. Errors: as locks_below.
[[nodiscard]] TURNSTILE_EXPORT result<odd_survey> odd_znodes_below(
    const client& servers, std::string_view folder, const query_options& options = {});

// Removes the znode at the path if it has no children; whatever data it has goes, too. False: it has some, or is not
// there. Errors: bad_path, no_permission, and those of the wait.
[[nodiscard]] TURNSTILE_EXPORT result<bool> remove_empty_folder(const client& servers,
                                                                std::string_view path,
                                                                const query_options& options = {});

}  // namespace turnstile
