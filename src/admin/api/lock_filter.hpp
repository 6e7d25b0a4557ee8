// SPDX-License-Identifier: Apache-2.0
// lock_filter: which locks of a snapshot a person asked for, and in which order.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "admin/reading/snapshot.hpp"

namespace turnstile::admin {

enum class lock_order {
    contended,
    path,
    held
};  // the most waiters first, by path, the longest hold first

struct lock_filter {
    std::string prefix{};  // of the path, if it begins with "/"; else a part of it
    std::string holder{};  // a part of a holder's host, pid, label or owner, whatever its case
    std::optional<lock_kind> kind{};
    lock_order order = lock_order::contended;
};

// Places in survey.locks.
[[nodiscard]] std::vector<std::size_t> chosen_locks(const snapshot& seen,
                                                    const lock_filter& filter);

}  // namespace turnstile::admin
