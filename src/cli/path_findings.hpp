// SPDX-License-Identifier: Apache-2.0
// path_findings: what is wrong at the path that locks are to be taken at, with what stands there, and with clocks.
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

// Folders that locks leave when they are free, which is in order: servers remove them later. The folder of the trial is
// none of them: it had a child in any case, the trial's.
[[nodiscard]] std::vector<std::string> empty_folders(const examination& seen);

[[nodiscard]] findings clock_findings(const examination& seen);

// As the kernel of this machine tells it; nothing where it does not (a sandbox).
[[nodiscard]] std::optional<host_clock> read_host_clock();

}  // namespace turnstile::cli
