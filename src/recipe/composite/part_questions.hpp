// SPDX-License-Identifier: Apache-2.0
// part_questions: the locks of a multi_lock to ask now, and how. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace turnstile::detail {

// to_wait: asks for a hold as soon as possible. to_try: asks for a hold at once, or none.
enum class asked { to_wait, to_try };

struct part_questions {
    std::optional<std::size_t> ask;  // the part to wait for
    std::vector<std::size_t> tries;
    bool is_over = false;  // the outcome is known: ask nothing more

    [[nodiscard]] bool empty() const { return !ask && tries.empty(); }
};

}  // namespace turnstile::detail
