// SPDX-License-Identifier: Apache-2.0
// part_questions: says which locks (parts) a multi_lock's call must request now. Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace turnstile::detail {

// to_wait: request a hold, and wait for it. to_try: request a hold that is granted at once or refused.
enum class asked { to_wait, to_try };

struct part_questions {
    std::optional<std::size_t> ask;  // request this part and wait for it
    std::vector<std::size_t> tries;
    bool is_over = false;  // the outcome is known: request nothing more

    [[nodiscard]] bool empty() const { return !ask && tries.empty(); }
};

}  // namespace turnstile::detail
