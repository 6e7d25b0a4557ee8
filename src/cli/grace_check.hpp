// SPDX-License-Identifier: Apache-2.0
// check_grace: checks whether a session's timeout is long enough for the command's grace.
#pragma once

#include <chrono>

#include "cli/assumed_pace.hpp"
#include "cli/keeping_options.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

// `session_timeout`: the timeout that the client requests, or that the servers have granted. The check includes the
// relay bound even if the client is connected to the leader, because the connection may move to a follower. Error:
// bad_option, with the numbers.
[[nodiscard]] result<void> check_grace(const keeping_options& options, const assumed_pace& servers,
                                       std::chrono::milliseconds session_timeout);

}  // namespace turnstile::cli
