// SPDX-License-Identifier: Apache-2.0
// lock_filter: parses the path and the kind by which a request names a lock, and selects and sorts the locks of a
// snapshot for a request.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/reading/snapshot.hpp"
#include "turnstile/lock_survey.hpp"

namespace turnstile::admin {

// Returns its argument. Throws refusal (400) for an invalid path.
[[nodiscard]] std::string lock_path(std::string path);
// Throws refusal (400) if `word` names no kind of lock.
[[nodiscard]] lock_kind lock_kind_named(const std::string& word);

enum class lock_order {
    contended,
    path,
    held
};  // the most waiters first, by path, the longest hold first

struct lock_filter {
    std::string prefix{};  // the start of the path if it begins with "/", else a part of it
    std::string holder{};  // a part of a holder's own text; see says()
    std::optional<lock_kind> kind{};
    lock_order order = lock_order::contended;
};

// True if the contender's host, pid, label, owner or session (0x...) contains this text. Ignores case.
[[nodiscard]] bool says(const contender& each, std::string_view part);

// Returns the indexes in seen.survey.locks of the matching locks, in the requested order.
[[nodiscard]] std::vector<std::size_t> chosen_locks(const snapshot& seen,
                                                    const lock_filter& filter);

}  // namespace turnstile::admin
