// SPDX-License-Identifier: Apache-2.0
// check_grace: checks that the session timeout is long enough for the command's grace period.
#pragma once

#include <chrono>

#include "cli/assumed_pace.hpp"
#include "cli/keeping_options.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

// `session_timeout`: the requested or the granted timeout. The check always assumes a connection to a follower, because
// the client may connect to a follower later. Error: bad_option, with the numbers.
[[nodiscard]] result<void> check_grace(const keeping_options& options, const assumed_pace& servers,
                                       std::chrono::milliseconds session_timeout);

}  // namespace turnstile::cli
