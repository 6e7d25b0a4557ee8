// SPDX-License-Identifier: Apache-2.0
// Parses the path and the kind by which a request names a lock.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "turnstile/lock_survey.hpp"

namespace turnstile::admin {

// Returns its argument. Throws refusal (400) for an invalid path.
[[nodiscard]] std::string lock_path(std::string path);
// Throws refusal (400) if `word` names no kind of lock.
[[nodiscard]] lock_kind lock_kind_named(const std::string& word);

}  // namespace turnstile::admin
