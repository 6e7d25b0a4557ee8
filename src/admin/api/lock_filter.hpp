// SPDX-License-Identifier: Apache-2.0
// lock_filter: which locks of a snapshot a person asked for, and in which order.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
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
    std::string holder{};  // a part of what a holder says of itself; see says()
    std::optional<lock_kind> kind{};
    lock_order order = lock_order::contended;
};

// Whether host, pid, label, owner or session (0x...) of the contender has this part, whatever its case.
[[nodiscard]] bool says(const contender& each, std::string_view part);

// Places in survey.locks.
[[nodiscard]] std::vector<std::size_t> chosen_locks(const snapshot& seen,
                                                    const lock_filter& filter);

}  // namespace turnstile::admin
