// SPDX-License-Identifier: Apache-2.0
// quorum_report: the meaning of several ensembles' refusals for the whole. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/composite/quorum.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

// `next::never`: this ensemble would grant only after a change from outside (a setting, a right).
[[nodiscard]] core::quorum::next worth_asking_again(const error& why);
// The code for a call that no majority can grant any more. For a try: busy, if any ensemble was busy.
[[nodiscard]] errc code_of(const std::vector<std::optional<error>>& answers, bool tried);
// Returns the error of a hold that has lost its majority.
[[nodiscard]] error no_majority(const std::string& path, const std::string& answers);

}  // namespace turnstile::detail
