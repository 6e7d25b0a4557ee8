// SPDX-License-Identifier: Apache-2.0
// path_findings: the findings of `turnstile doctor` about the locks' path and its znodes.
//
// Thread safety: functions, from any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/examination.hpp"
#include "cli/finding.hpp"

namespace turnstile::cli {

[[nodiscard]] findings path_findings(const examination& seen);

// Returns the empty folders of free locks. They are normal: servers remove them later. Omits the folder in which doctor
// itself has tested its rights.
[[nodiscard]] std::vector<std::string> empty_folders(const examination& seen);

}  // namespace turnstile::cli
