// SPDX-License-Identifier: Apache-2.0
// try_path: whether this client may do at a path what locks need, found out by doing it.
//
//     const auto tried = turnstile::try_path(servers, "/locks/shop").value();
//     for (const auto& right : tried.refused) print("no permission to ", to_string(right));
//
// It makes a znode of its own in the folder, `turnstile-trial-<random>`, as lock folders are made, and removes it. One that
// cannot be removed is named in the result. A trial that is cut off leaves at most that znode, which is empty.
//
// Thread safety: a function, from any thread. Blocks; each wait is a Boost interruption point.
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

// What locks need at their folder: waiters list it, contenders are created in it and deleted from it.
enum class path_right { list, create, remove };

// "list"
[[nodiscard]] TURNSTILE_EXPORT const char* to_string(path_right right) noexcept;

// By how much the leader's wall clock is ahead of this machine's, as one write shows it.
struct clock_difference {
    std::chrono::milliseconds ahead{};
    std::chrono::milliseconds
        uncertainty{};  // either way: half the write's time, and the stamp's millisecond
};

struct path_trial {
    std::string folder;               // the path, or the nearest folder above it that is there
    std::vector<path_right> refused;  // by its ACL
    bool containers = true;  // the servers make them: folders of free locks go by themselves
    std::string left{};      // the trial's znode, if it could not be removed
    std::optional<clock_difference> clock{};  // where the znode could be made
};

// Errors: bad_path; protocol (the servers refuse for another reason); timeout, not_connected, cancelled, interrupted,
// closed, forked, auth_failed.
[[nodiscard]] TURNSTILE_EXPORT result<path_trial> try_path(const client& servers,
                                                           std::string_view path,
                                                           const query_options& options = {});

}  // namespace turnstile
