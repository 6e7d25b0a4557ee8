// SPDX-License-Identifier: Apache-2.0
// module_list: which kinds of servers this program can use, as `--version` and `doctor` print it.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "cli/examination.hpp"
#include "cli/finding.hpp"
#include "turnstile/tools/modules.hpp"

namespace turnstile::cli {

// "zookeeper, local, redis, sqlite; not postgresql, mariadb"
[[nodiscard]] std::string back_ends_text(const std::vector<module_status>& modules);

// "turnstile 0.2.0", the back ends, and a line for each module that is there and cannot be used.
[[nodiscard]] std::string version_text(const std::vector<module_status>& modules);

// A module that is there and cannot be used, of another version for one.
[[nodiscard]] findings module_findings(const examination& seen);

}  // namespace turnstile::cli
