// SPDX-License-Identifier: Apache-2.0
// path_limit: refuses paths that are longer than a database can store.
//
// Thread safety: a pure function.
#pragma once

#include <cstddef>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::sql {

// Returns the refusal if a path of the request is longer than `most` bytes; otherwise nothing.
[[nodiscard]] std::optional<core::reply> refusal_of_long_paths(const core::operation& op,
                                                               std::size_t most);

}  // namespace turnstile::sql
