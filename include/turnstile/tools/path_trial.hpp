// SPDX-License-Identifier: Apache-2.0
// try_path: tests whether this client has the rights at a path that locks need.
//
// Use it in checks before a deployment, as `turnstile doctor` does.
//
//     const auto tried = turnstile::try_path(servers, "/locks/shop").value();
//     for (const auto& right : tried.refused) print("no permission to ", to_string(right));
//
// The function tries the rights by use: it creates a znode in the folder, `turnstile-trial-<random>`, in the way in
// which lock folders are created, and removes it. If it could not remove a znode, the result names that znode. A trial
// that is cut off leaves at most that empty znode.
//
// Thread safety: any thread may call it. It blocks; each wait is a Boost interruption point.
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

// A right that locks need at their folder: waiters list it, contenders are created in it and removed from it.
enum class path_right { list, create, remove };

// Returns the name, like "list".
[[nodiscard]] TURNSTILE_EXPORT const char* to_string(path_right right) noexcept;

// The difference between the wall clock of the servers' leader and this machine's, as one write shows it.
struct clock_difference {
    // Says how much the leader's clock is ahead; negative if it is behind.
    std::chrono::milliseconds ahead{};
    // The uncertainty in both directions: half the duration of the write, and the stamp's millisecond.
    std::chrono::milliseconds uncertainty{};
};

// The result of a trial.
struct path_trial {
    std::string folder;               // the path, or the nearest existing folder above it
    std::vector<path_right> refused;  // rights that its ACL refuses
    // True if the servers have container znodes, so that folders of free locks disappear by themselves.
    bool containers = true;
    std::string left{};  // path of the trial's znode if it could not be removed
    std::optional<clock_difference> clock{};  // set if the znode could be created
};

// Tries the path. Errors: `bad_path`; `protocol` (the servers refuse for another reason); `timeout`, `not_connected`,
// `cancelled`, `interrupted`, `closed`, `forked`, `auth_failed`.
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
