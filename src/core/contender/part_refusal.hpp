// SPDX-License-Identifier: Apache-2.0
// Errors of a commit for the part that the servers refused; all other parts were rolled back.
//
// Thread safety: any.
#pragma once

#include <cstddef>
#include <string>

#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

// `index`: the caller's part, counted from 0.
[[nodiscard]] error refused_part(const multi_part& part, std::size_t index, server_error why);
// `znode`: the znode of a hold that the commit depends on.
[[nodiscard]] error refused_guard(const std::string& znode, server_error why);

}  // namespace turnstile::core
