// SPDX-License-Identifier: Apache-2.0
// What the caller of a commit is told of a part that the servers refused: all others were rolled back for it.
//
// Thread safety: any.
#pragma once

#include <cstddef>
#include <string>

#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

// Part `index` of the caller's, counted from 0.
[[nodiscard]] error refused_part(const multi_part& part, std::size_t index, server_error why);
// A znode of a hold under which the commit was to be carried out.
[[nodiscard]] error refused_guard(const std::string& znode, server_error why);

}  // namespace turnstile::core
