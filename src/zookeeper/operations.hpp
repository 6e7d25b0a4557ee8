// SPDX-License-Identifier: Apache-2.0
// operations: passes requests to the C client, and returns its completions.
//
// Thread safety: the same as the C client's asynchronous calls; a `pending_request` is the C client's from the call
// until its completion.
#pragma once

#include <zookeeper/zookeeper.h>

#include <string>

#include "core/seam/seam.hpp"
#include "zookeeper/pending.hpp"

namespace turnstile::zookeeper {

// A handle has a single watcher and context: with different ones the C client needs quadratic time to notify all
// watchers of a session event.
struct watcher {
    watcher_fn function = nullptr;
    void* context = nullptr;
};

// Returns the result of the zoo_a* call; for anything but ZOK no completion comes. Completions call
// `pending.owner->completed(pending, rc)` with the answer's fields filled in.
[[nodiscard]] int hand_over(zhandle_t* handle, const core::operation& op, const watcher& tell,
                            pending_request& pending);

// Removes all watches on `path`, at the server and here.
[[nodiscard]] int hand_over_removal(zhandle_t* handle, const std::string& path,
                                    pending_request& pending);

// Reads the top node's Stat, only to get an answer.
[[nodiscard]] int hand_over_witness(zhandle_t* handle, pending_request& pending);

// Reads the Stat of the znode that `pending` has created.
[[nodiscard]] int hand_over_stat(zhandle_t* handle, pending_request& pending);

// The path of the watch that a request sets if it is answered, or null.
[[nodiscard]] const std::string* watch_of(const core::operation& op) noexcept;

}  // namespace turnstile::zookeeper
