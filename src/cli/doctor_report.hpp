// SPDX-License-Identifier: Apache-2.0
// doctor_report: prints the observations and findings of `turnstile doctor`, as text or as JSON.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "cli/examination.hpp"
#include "cli/findings.hpp"

namespace turnstile::cli {

[[nodiscard]] std::string doctor_text(const examination& seen, const findings& found);
[[nodiscard]] std::string doctor_json(const examination& seen, const findings& found);

}  // namespace turnstile::cli
