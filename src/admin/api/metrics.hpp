// SPDX-License-Identifier: Apache-2.0
// Makes the answers for monitoring programs: metrics in Prometheus' text format, and the server's health.
//
// Thread safety: from any thread.
#pragma once

#include <string>

#include "admin/api/site.hpp"

namespace turnstile::admin {

[[nodiscard]] std::string metrics(site& at);

// Returns why the server is unhealthy; an empty text if it is healthy.
[[nodiscard]] std::string illness(const site& at);

}  // namespace turnstile::admin
