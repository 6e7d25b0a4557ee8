// SPDX-License-Identifier: Apache-2.0
// Writes to the application's own logger, if the application has registered a logger with spdlog under the name
// "turnstile". A library that is built without spdlog (TURNSTILE_WITH_SPDLOG) never finds such a logger.
//
// Thread safety: from any thread.
#pragma once

#include "base/log_lanes.hpp"

namespace turnstile::log {

// Makes spdlog's registry now, so that the registry is destroyed after all objects that are made later.
void make_spdlog_registry();
[[nodiscard]] bool write_to_spdlog(const waiting_line& line);

}  // namespace turnstile::log
