// SPDX-License-Identifier: Apache-2.0
// queue_survey: reads the queues of many locks, for a client that has no contender in them.
#pragma once

#include <string>
#include <vector>

#include "client/client_impl.hpp"
#include "recipe/deadlock/wait_for_graph.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// Returns the queues that have a waiter. Each queue is read at a different instant between the call and its return.
// Omits contenders that end meanwhile. A lock without a folder has no queue.
[[nodiscard]] result<std::vector<lock_queue>> queues_with_waiters(
    client_impl& client, const std::vector<std::string>& paths, const query_options& options);

// Returns all folders at or below `folder` whose queue has a waiter.
[[nodiscard]] result<std::vector<std::string>> contended_below(client_impl& client,
                                                               const std::string& folder,
                                                               const query_options& options);

}  // namespace turnstile::detail
