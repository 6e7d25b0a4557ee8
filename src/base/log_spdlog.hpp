// SPDX-License-Identifier: Apache-2.0
// write_to_spdlog: writes a line to the logger that the application has registered with spdlog under the name
// "turnstile". Returns false if there is no such logger, or if the library is built without spdlog
// (TURNSTILE_WITH_SPDLOG).
//
// Thread safety: from any thread.
#pragma once

#include "base/log_lanes.hpp"

namespace turnstile::log {

// Makes spdlog's registry now, so that the registry is destroyed after all objects that are made later.
void make_spdlog_registry();
[[nodiscard]] bool write_to_spdlog(const waiting_line& line);

}  // namespace turnstile::log
