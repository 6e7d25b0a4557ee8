// SPDX-License-Identifier: Apache-2.0
// quorum_report: what the refusals of several ensembles mean for the whole. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/composite/quorum.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

// `next::never`: only a change from outside (a setting, a right) would make this ensemble grant.
[[nodiscard]] core::quorum::next worth_asking_again(const error& why);
// The code of a call that no majority can grant any more. A try: busy, if any of them was.
[[nodiscard]] errc code_of(const std::vector<std::optional<error>>& answers, bool tried);
// Of a hold that is over.
[[nodiscard]] error no_majority(const std::string& path, const std::string& answers);

}  // namespace turnstile::detail
