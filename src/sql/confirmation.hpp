// SPDX-License-Identifier: Apache-2.0
// confirmation: recognizes requests that only check znodes. With such a request a session proves that it has not
// expired.
//
// Thread safety: pure functions.
#pragma once

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "core/seam/seam.hpp"
#include "sql/touched_paths.hpp"

namespace turnstile::sql {

[[nodiscard]] inline bool is_confirmation(const core::operation& op) noexcept {
    const auto* const multi = std::get_if<core::multi_op>(&op);
    return multi != nullptr && !multi->parts.empty() && !core::changes_nodes(op);
}

// Returns true if the request `ahead`, executed first, may change the reply to `confirmation`, a request that only
// checks znodes. A sequential create may create any path that begins with its prefix.
[[nodiscard]] inline bool may_change_what_is_checked(const core::operation& ahead,
                                                     const core::operation& confirmation) {
    if (!core::is_write(ahead) || is_confirmation(ahead)) return false;
    const touched_paths touching{ahead};
    const std::vector<std::string> paths = touching.list();
    const std::vector<std::string> prefixes = touching.prefixes();
    const auto& checks = std::get<core::multi_op>(confirmation).parts;
    return std::any_of(checks.begin(), checks.end(), [&](const core::multi_part& part) {
        const std::string& path = std::get<core::check_op>(part).path;
        return std::find(paths.begin(), paths.end(), path) != paths.end() ||
               std::any_of(prefixes.begin(), prefixes.end(),
                           [&](const std::string& prefix) { return path.starts_with(prefix); });
    });
}

}  // namespace turnstile::sql
