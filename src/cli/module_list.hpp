// SPDX-License-Identifier: Apache-2.0
// module_list: the kinds of servers that this program can use, for `--version` and `doctor`.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "cli/examination.hpp"
#include "cli/finding.hpp"
#include "turnstile/tools/modules.hpp"

namespace turnstile::cli {

// Returns a text like "zookeeper, local, redis, sqlite; not postgresql, mariadb".
[[nodiscard]] std::string back_ends_text(const std::vector<module_status>& modules);

// Returns "turnstile 0.2.0", the back ends, and a line for each module that is installed but cannot be used.
[[nodiscard]] std::string version_text(const std::vector<module_status>& modules);

// Returns findings about modules that are installed but cannot be used, for example because their version differs.
[[nodiscard]] findings module_findings(const examination& seen);

}  // namespace turnstile::cli
