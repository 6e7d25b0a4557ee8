// SPDX-License-Identifier: Apache-2.0
// path_findings: findings about the path of the locks, the znodes there, and clocks.
//
// Thread safety: functions, from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/examination.hpp"
#include "cli/finding.hpp"

namespace turnstile::cli {

[[nodiscard]] findings path_findings(const examination& seen);

// Returns folders that free locks have left. This is normal: servers remove them later. The trial's folder is left out,
// because it had a child, the trial's contender.
[[nodiscard]] std::vector<std::string> empty_folders(const examination& seen);

[[nodiscard]] findings clock_findings(const examination& seen);

// Asks the kernel of this machine. Returns nothing if the kernel refuses (in a sandbox).
[[nodiscard]] std::optional<host_clock> read_host_clock();

}  // namespace turnstile::cli
