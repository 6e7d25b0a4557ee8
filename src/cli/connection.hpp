// SPDX-License-Identifier: Apache-2.0
// connection: a client for commands that look at locks and take none.
#pragma once

#include <functional>

#include "cli/servers.hpp"
#include "turnstile/client.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

// Settles the servers, connects, calls `work`, and returns its exit code; what goes wrong is one line on stderr.
[[nodiscard]] int with_client(server_settings& settings,
                              const std::function<result<int>(client& servers)>& work);

}  // namespace turnstile::cli
