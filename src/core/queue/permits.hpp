// SPDX-License-Identifier: Apache-2.0
// permits: the semaphore's limit, as text in the data of the semaphore's folder.
//
// | data              | means                                                                                |
// |-------------------|--------------------------------------------------------------------------------------|
// | `5`               | five permits                                                                         |
// | `2 was 5`         | two; the limit has shrunk, and more permits may be held; the holders are not known   |
// | `2 was 5 up to 7` | two; contenders up to number 7 may have been granted under the earlier limit of five |
//
// Under `2 was 5` each contender in the first five positions may hold permits until it leaves, so each of these
// contenders waits for all contenders ahead. A list of the children that is read after the change shows the last of
// these contenders, for `up to`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/queue/queue_rule.hpp"

namespace turnstile::core {

[[nodiscard]] std::optional<permit_limit> parse_limit(std::string_view text) noexcept;
[[nodiscard]] std::string limit_text(const permit_limit& limit);

// True if the limit has shrunk, and the last holder under the earlier limit is not known yet.
[[nodiscard]] constexpr bool is_open(const permit_limit& limit) noexcept {
    return limit.earlier > limit.now && !limit.last;
}

// Returns the limit `open` with the number of the last contender that may hold permits under the earlier limit. That
// number is not known in `open` (is_open). `before` is the limit before `open`, and `children` is a list that was read
// later. Returns `open` unchanged if the numbers do not determine the order.
[[nodiscard]] permit_limit settled_limit(const permit_limit& open, const permit_limit& before,
                                         const std::vector<std::string>& children);

}  // namespace turnstile::core
