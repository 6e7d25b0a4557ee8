// SPDX-License-Identifier: Apache-2.0
// The application's own logger, if it has registered one with spdlog under the name "turnstile". In a library that is
// built without spdlog (TURNSTILE_WITH_SPDLOG) there is none.
//
// Thread safety: from any thread.
#pragma once

#include "base/log_lanes.hpp"

namespace turnstile::log {

// Makes spdlog's registry now, so that it ends after all objects that are made later.
void make_spdlog_registry();
// False: no logger has that name.
[[nodiscard]] bool write_to_spdlog(const waiting_line& line);

}  // namespace turnstile::log
