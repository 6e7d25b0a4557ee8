// SPDX-License-Identifier: Apache-2.0
// try_path: tests whether this client has the rights that locks at a path need.
//
// Use it in checks before a deployment, as `turnstile doctor` does.
//
//     const auto tried = turnstile::try_path(servers, "/locks/shop").value();
//     for (const auto& right : tried.refused) print("no permission to ", to_string(right));
//
// The function uses the rights to test them: it creates a znode `turnstile-trial-<random>` in the folder, of the same
// kind as a lock's folder, and removes it. If the function cannot remove this znode, the result names the znode. If the
// connection is lost during the trial, this empty znode may remain.
//
// Thread safety: any thread may call try_path(). The call blocks; each wait is a Boost interruption point.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// A right that locks need at their folder: to list its children, to create contenders in it, and to remove them.
enum class path_right { list, create, remove };

// Returns the name, like "list".
[[nodiscard]] TURNSTILE_EXPORT const char* to_string(path_right right) noexcept;

// The difference between the wall clocks of the servers' leader and of this machine, measured by one write.
struct clock_difference {
    // The time by which the leader's clock is ahead of this machine's clock; negative if it is behind.
    std::chrono::milliseconds ahead{};
    // The uncertainty of `ahead`, in both directions: half the duration of the write, plus one millisecond for the
    // rounding of the leader's time stamp.
    std::chrono::milliseconds uncertainty{};
};

// The result of try_path().
struct path_trial {
    std::string folder;               // the path, or the nearest existing folder above it
    std::vector<path_right> refused;  // rights that the folder's ACL refuses
    // True if the servers have container znodes, so that the servers delete the folders of free locks.
    bool containers = true;
    std::string left{};  // path of the created znode if it could not be removed
    std::optional<clock_difference> clock{};  // set if the znode could be created
};

// Tests the rights at `path`. Errors: `bad_path`; `protocol` (the servers refuse for another reason); `timeout`,
// `not_connected`, `cancelled`, `interrupted`, `closed`, `forked`, `auth_failed`.
[[nodiscard]] TURNSTILE_EXPORT result<path_trial> try_path(const client& servers,
                                                           std::string_view path,
                                                           const query_options& options = {});
// Takes a timeout or a deadline in place of options: try_path(servers, path, 2s).
template <waiting_time W>
[[nodiscard]] result<path_trial> try_path(const client& servers, std::string_view path,
                                          const W& limit) {
    return try_path(servers, path, {.timeout = limit});
}

}  // namespace turnstile
