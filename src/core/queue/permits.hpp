// SPDX-License-Identifier: Apache-2.0
// permits: the semaphore's limit, as text in the data of the semaphore's folder.
//
// | data              | meaning                                                                              |
// |-------------------|--------------------------------------------------------------------------------------|
// | `5`               | five permits                                                                         |
// | `2 was 5`         | two permits; more may be held, because the limit has shrunk; the holders are unknown |
// | `2 was 5 up to 7` | two permits; contenders up to number 7 may hold permits under the earlier limit of 5 |
//
// Under `2 was 5` each contender in the first five positions may hold permits until it leaves, so each of these
// contenders waits for all contenders ahead. A contender that lists the children after the change writes the
// number of the last of these contenders behind `up to`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/queue/queue_rule.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

[[nodiscard]] std::optional<permit_limit> parse_limit(std::string_view text) noexcept;
[[nodiscard]] std::string limit_text(const permit_limit& limit);
// Returns the error for a folder whose data, written by another client, contain no limit.
[[nodiscard]] error no_semaphore(const std::string& folder, const std::string& data);

// True if the semaphore's limit has shrunk, and the last holder under the earlier limit is not known yet.
[[nodiscard]] constexpr bool is_open(const permit_limit& limit) noexcept {
    return limit.earlier > limit.now && !limit.last;
}

// `open` is a lowered limit that lacks the number of the last contender that may hold permits under the earlier limit
// (is_open). The function finds this contender in `children`, a list that was read after the change to `open`, and
// returns `open` with this contender's number. If no contender may hold permits above the lowered limit, the function
// returns the lowered limit alone. If the children's numbers do not determine their order, it returns `open` unchanged.
// `before` is the limit that `open` has replaced.
[[nodiscard]] permit_limit settled_limit(const permit_limit& open, const permit_limit& before,
                                         const std::vector<std::string>& children);

}  // namespace turnstile::core
