// SPDX-License-Identifier: Apache-2.0
// server_findings: the findings of `turnstile doctor` about the servers' reports and the client's settings.
//
// Thread safety: a pure function.
#pragma once

#include "cli/examination.hpp"
#include "cli/finding.hpp"

namespace turnstile::cli {

[[nodiscard]] findings server_findings(const examination& seen);
[[nodiscard]] findings lease_findings(const examination& seen);

}  // namespace turnstile::cli
