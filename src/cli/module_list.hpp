// SPDX-License-Identifier: Apache-2.0
// module_list: the kinds of servers that this program can use, as text for `--version` and `doctor`.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "turnstile/tools/modules.hpp"

namespace turnstile::cli {

// Returns a text such as "zookeeper, local, redis, sqlite; not postgresql, mariadb".
[[nodiscard]] std::string back_ends_text(const std::vector<module_status>& modules);

// Returns the program's version, the back ends, and a line for each installed module that is unusable.
[[nodiscard]] std::string version_text(const std::vector<module_status>& modules);

}  // namespace turnstile::cli
