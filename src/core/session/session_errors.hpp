// SPDX-License-Identifier: Apache-2.0
// session_errors: the error texts for callers whose deadline has passed.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/contender/contender_errors.hpp"
#include "core/session/session_owners.hpp"

namespace turnstile::core {

// Returns the error for a deadline that passed before `subject` was granted or answered. `ahead`: the number of
// contenders ahead of the caller. `nearest`: the nearest contender ahead, if its znode was read.
[[nodiscard]] error deadline_error(const session_owners& owners, const std::string& subject,
                                   std::optional<std::size_t> ahead,
                                   const contender_ahead* nearest = nullptr);
[[nodiscard]] error deadline_error(const session_owners& owners, const contender_core& late);

}  // namespace turnstile::core
