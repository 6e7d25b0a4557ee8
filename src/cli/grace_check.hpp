// SPDX-License-Identifier: Apache-2.0
// check_grace: whether a session carries the grace that the command is to have.
#pragma once

#include <chrono>

#include "cli/assumed_pace.hpp"
#include "cli/keeping_options.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

// `session_timeout`: as asked for, or as the servers granted it. The relay bound counts whatever server the client
// is at: a connection may move to a follower. Error: bad_option, with the numbers.
[[nodiscard]] result<void> check_grace(const keeping_options& options, const assumed_pace& servers,
                                       std::chrono::milliseconds session_timeout);

}  // namespace turnstile::cli
