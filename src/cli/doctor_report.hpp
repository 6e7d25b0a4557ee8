// SPDX-License-Identifier: Apache-2.0
// doctor_report: what `turnstile doctor` has seen and found, for people and for programs.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "cli/examination.hpp"
#include "cli/finding.hpp"

namespace turnstile::cli {

// All findings: problems first, in the order of what they depend on.
[[nodiscard]] findings all_findings(const examination& seen);

[[nodiscard]] std::string doctor_text(const examination& seen, const findings& found);
[[nodiscard]] std::string doctor_json(const examination& seen, const findings& found);

}  // namespace turnstile::cli
