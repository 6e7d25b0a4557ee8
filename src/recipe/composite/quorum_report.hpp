// SPDX-License-Identifier: Apache-2.0
// quorum_report: turns the refusals of several ensembles into one error. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/composite/quorum.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

// Returns `next::never` if another request would also fail until a person changes something, such as a setting, a
// permission or a quota. So the verdict for `quota_exceeded` and `unresolvable` differs from error::is_retryable().
[[nodiscard]] core::quorum::next worth_asking_again(const error& why);
// Returns the error code of a call for which a majority has become impossible. `tried`: the call does
// not wait for a busy lock; then the code is `busy` if an ensemble was busy.
[[nodiscard]] errc code_of(const std::vector<std::optional<error>>& answers, bool tried);
[[nodiscard]] error no_majority(const std::string& path, const std::string& answers);

}  // namespace turnstile::detail
