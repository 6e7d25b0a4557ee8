// SPDX-License-Identifier: Apache-2.0
// clock_findings: the findings of `turnstile doctor` about the clocks of this machine and of the servers.
//
// Thread safety: functions, from any thread.
#pragma once

#include <optional>

#include "cli/examination.hpp"
#include "cli/finding.hpp"

namespace turnstile::cli {

// Reads the state of this machine's clock from the kernel. Returns nothing if the kernel refuses (in a sandbox).
[[nodiscard]] std::optional<host_clock> read_host_clock();

[[nodiscard]] findings clock_findings(const examination& seen);

}  // namespace turnstile::cli
