// SPDX-License-Identifier: Apache-2.0
// odd_znodes: finds znodes below a path that block locks or serve no purpose.
//
// Use it in tools for operators, as `turnstile doctor` does.
//
//     for (const auto& odd : turnstile::odd_znodes_below(servers, "/locks").value().found)
//         print(odd.path, to_string(odd.kind));
//
// The functions set no watch.
//
// Thread safety: any thread may call these functions. They block; each wait is a Boost interruption point.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// The reason why a znode is in the result.
enum class oddity {
    // A contender's znode that is not ephemeral: it belongs to no session, so the contenders behind it wait for ever.
    persistent_contender,
    // A znode in a lock's folder that is not a contender. Clients of other libraries may wait for it.
    foreign_child,
    // A lock's folder without contenders. The servers do not delete it, unless it is a container znode.
    empty_folder,
};

// Returns the name, like "persistent_contender".
[[nodiscard]] TURNSTILE_EXPORT const char* to_string(oddity kind) noexcept;

// An odd znode.
struct odd_znode {
    oddity kind{};     // reason why it is in the result
    std::string path;  // path of the znode
};

// The result of odd_znodes_below().
struct odd_survey {
    std::vector<odd_znode> found;         // sorted by path
    std::vector<std::string> unreadable;  // folders that an ACL forbids to read, sorted by path
};

// Returns the odd znodes at `folder` and below it, except in the servers' "/zookeeper". Errors: the errors of
// locks_below().
//
// A znode without children counts as a lock's folder if it had children before, and its data are empty, or are a
// sequence number that clients write there while the lock's queue is long. The result also has empty containers (znodes
// that the servers delete when they are empty), because servers do not report which znodes are containers.
[[nodiscard]] TURNSTILE_EXPORT result<odd_survey> odd_znodes_below(
    const client& servers, std::string_view folder, const query_options& options = {});

// Removes the znode at `path` with its data, if the znode has no children. Returns false if the znode has children or
// does not exist. Errors: `bad_path`, `no_permission`, and the errors of a query that ends early (`query_options`).
[[nodiscard]] TURNSTILE_EXPORT result<bool> remove_empty_folder(const client& servers,
                                                                std::string_view path,
                                                                const query_options& options = {});

// Takes a timeout or a deadline in place of options: odd_znodes_below(servers, folder, 2s).
template <waiting_time W>
[[nodiscard]] result<odd_survey> odd_znodes_below(const client& servers, std::string_view folder,
                                                  const W& limit) {
    return odd_znodes_below(servers, folder, {.timeout = limit});
}
// Removes the folder at `path`, with a timeout or a deadline in place of options.
template <waiting_time W>
[[nodiscard]] result<bool> remove_empty_folder(const client& servers, std::string_view path,
                                               const W& limit) {
    return remove_empty_folder(servers, path, {.timeout = limit});
}

}  // namespace turnstile
