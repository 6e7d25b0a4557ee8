// SPDX-License-Identifier: Apache-2.0
// permits: what the folder of a semaphore says: how many permits there are.
//
// | data              | means                                                                                |
// |-------------------|--------------------------------------------------------------------------------------|
// | `5`               | five                                                                                 |
// | `2 was 5`         | two; it has shrunk, and more permits may be out: whose is not found out yet          |
// | `2 was 5 up to 7` | two; of those that were granted more the last one has the number 7: a contender that |
// |                   | comes behind it was not                                                              |
//
// The second says of every contender in the first five places that it may hold permits, for as long as it stands, and
// so each of those in them waits for all ahead of it. A list that was read since tells which contenders stood then.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/queue/queue_rule.hpp"

namespace turnstile::core {

[[nodiscard]] std::optional<permit_limit> parse_limit(std::string_view text) noexcept;
[[nodiscard]] std::string limit_text(const permit_limit& limit);

// It has shrunk, and the last of those that hold more was not found out.
[[nodiscard]] constexpr bool is_open(const permit_limit& limit) noexcept {
    return limit.earlier > limit.now && !limit.last;
}

// An open limit, once it was found out: by what held before it and a list that was read since. As it was where
// numbers do not tell the order.
[[nodiscard]] permit_limit settled_limit(const permit_limit& open, const permit_limit& before,
                                         const std::vector<std::string>& children);

}  // namespace turnstile::core
