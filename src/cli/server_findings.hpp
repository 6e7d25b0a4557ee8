// SPDX-License-Identifier: Apache-2.0
// server_findings: findings about the servers, from their own reports, and about the client's settings for them.
//
// Thread safety: a pure function.
#pragma once

#include "cli/examination.hpp"
#include "cli/finding.hpp"

namespace turnstile::cli {

[[nodiscard]] findings server_findings(const examination& seen);
[[nodiscard]] findings lease_findings(const examination& seen);

}  // namespace turnstile::cli
