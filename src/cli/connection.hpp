// SPDX-License-Identifier: Apache-2.0
// connection: a client for commands that only read locks.
#pragma once

#include <functional>

#include "cli/servers.hpp"
#include "turnstile/client.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

// Determines the servers, connects, and calls `work`. Returns the exit code of `work`. Prints an error as one line on
// stderr.
[[nodiscard]] int with_client(server_settings& settings,
                              const std::function<result<int>(client& servers)>& work);

}  // namespace turnstile::cli
