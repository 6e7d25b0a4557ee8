// SPDX-License-Identifier: Apache-2.0
// queue_survey: the queues of many locks, read for a client that takes part in none.
#pragma once

#include <string>
#include <vector>

#include "client/client_impl.hpp"
#include "recipe/deadlock/wait_for_graph.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// The queues of those locks that have a waiter. They are of different instants, each between the call
// and its return; a contender that goes meanwhile is left out. A lock that is not there has none.
[[nodiscard]] result<std::vector<lock_queue>> queues_with_waiters(
    client_impl& client, const std::vector<std::string>& paths, const query_options& options);

// The folders from `folder` on down, itself included, that have a waiter in them.
[[nodiscard]] result<std::vector<std::string>> contended_below(client_impl& client,
                                                               const std::string& folder,
                                                               const query_options& options);

}  // namespace turnstile::detail
