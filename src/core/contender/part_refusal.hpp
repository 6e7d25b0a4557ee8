// SPDX-License-Identifier: Apache-2.0
// part_refusal: the errors for a commit of which the servers refused one part. The servers rolled all other parts back.
//
// Thread safety: any thread may call these functions.
#pragma once

#include <cstddef>
#include <string>

#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

// Returns the error for a commit whose part `part` the servers refused with `why`. `index` is the number of the
// caller's part, counted from 0.
[[nodiscard]] error refused_part(const multi_part& part, std::size_t index, server_error why);
// Returns the error for a commit that requires a hold, if the servers refused the check of that hold's znode with
// `why`. `znode` is the path of that znode.
[[nodiscard]] error refused_guard(const std::string& znode, server_error why);

}  // namespace turnstile::core
