// SPDX-License-Identifier: Apache-2.0
// operations: passes requests to the C client, and receives its completions.
//
// Thread safety: the rules of the C client's asynchronous calls. An `outstanding_request` belongs to the C client from
// the call to its completion.
#pragma once

#include <zookeeper/zookeeper.h>

#include <string>

#include "core/seam/seam.hpp"
#include "zookeeper/outstanding_requests.hpp"

namespace turnstile::zookeeper {

// All watches of a handle must have the same function and context. If these differed between the watches, the C client
// would need quadratic time to notify all watchers of a session event.
struct watcher {
    watcher_fn function = nullptr;
    void* context = nullptr;
};

// Returns the result of the zoo_a* call. For any result except ZOK, the C client calls no completion. A completion
// fills in the answer and calls `pending.owner->completed(pending, rc)`.
[[nodiscard]] int hand_over(zhandle_t* handle, const core::operation& op, const watcher& tell,
                            outstanding_request& pending);

// Removes all watches on `path`, at the server and in the C client.
[[nodiscard]] int hand_over_removal(zhandle_t* handle, const std::string& path,
                                    outstanding_request& pending);

// Reads the Stat of the top znode. The caller needs only the arrival of the answer.
[[nodiscard]] int hand_over_witness(zhandle_t* handle, outstanding_request& pending);

[[nodiscard]] int hand_over_stat(zhandle_t* handle, outstanding_request& pending);

// Returns the path on which the answered request sets a watch, or null.
[[nodiscard]] const std::string* watch_of(const core::operation& op) noexcept;

}  // namespace turnstile::zookeeper
