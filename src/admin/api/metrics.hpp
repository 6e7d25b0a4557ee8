// SPDX-License-Identifier: Apache-2.0
// What programs watch: numbers in Prometheus's text format, and whether the server is well.
//
// Thread safety: from any thread.
#pragma once

#include <string>

#include "admin/api/site.hpp"

namespace turnstile::admin {

[[nodiscard]] std::string metrics(site& at);

// Empty if it is well; else the reason.
[[nodiscard]] std::string illness(const site& at);

}  // namespace turnstile::admin
