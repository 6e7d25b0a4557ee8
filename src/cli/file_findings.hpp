// SPDX-License-Identifier: Apache-2.0
// file_findings: what is wrong with the file of a SQLite connect string.
//
// Thread safety: a pure function.
#pragma once

#include "cli/examination.hpp"
#include "cli/finding.hpp"

namespace turnstile::cli {

[[nodiscard]] findings file_findings(const examination& seen);

}  // namespace turnstile::cli
