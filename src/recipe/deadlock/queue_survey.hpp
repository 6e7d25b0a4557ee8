// SPDX-License-Identifier: Apache-2.0
// queue_survey: reads the queues of many locks for a client that takes part in none.
#pragma once

#include <string>
#include <vector>

#include "client/client_impl.hpp"
#include "recipe/deadlock/wait_for_graph.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// The queues of those locks that have a waiter. Each is read at a different instant between the call and its return;
// a contender that goes meanwhile is left out. A lock without a folder has no queue.
[[nodiscard]] result<std::vector<lock_queue>> queues_with_waiters(
    client_impl& client, const std::vector<std::string>& paths, const query_options& options);

// The folders that contain a waiter, from `folder` itself on down.
[[nodiscard]] result<std::vector<std::string>> contended_below(client_impl& client,
                                                               const std::string& folder,
                                                               const query_options& options);

}  // namespace turnstile::detail
