// SPDX-License-Identifier: Apache-2.0
// part_questions: what the locks of a multi_lock are to be asked now. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace turnstile::detail {

// How a lock is asked: for a hold as soon as it can be had, or for one at once.
enum class asked { to_wait, to_try };

struct part_questions {
    std::optional<std::size_t> ask;  // to wait
    std::vector<std::size_t> tries;
    bool is_over = false;  // the outcome is there: nothing is asked any more

    [[nodiscard]] bool empty() const { return !ask && tries.empty(); }
};

}  // namespace turnstile::detail
