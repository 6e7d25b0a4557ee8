// SPDX-License-Identifier: Apache-2.0
// operations: hands requests to the C client, and brings its completions back.
//
// Thread safety: as the C client's asynchronous calls; a `pending_request` is the C client's from
// the call on until its completion.
#pragma once

#include <zookeeper/zookeeper.h>

#include <string>

#include "core/seam/seam.hpp"
#include "zookeeper/pending.hpp"

namespace turnstile::zookeeper {

// The one watcher and the one context of a handle: with different ones the C client needs quadratic
// time when it tells all watchers of a session event.
struct watcher {
    watcher_fn function = nullptr;
    void* context = nullptr;
};

// Returns what the zoo_a* call returned; after anything but ZOK no completion comes. Completions
// call `pending.owner->completed(pending, rc)` with the answer's fields filled in.
[[nodiscard]] int hand_over(zhandle_t* handle, const core::operation& op, const watcher& tell,
                            pending_request& pending);

// Removes all watches on `path`, at the server and here.
[[nodiscard]] int hand_over_removal(zhandle_t* handle, const std::string& path,
                                    pending_request& pending);

// Reads the top node's Stat, for the answer's sake.
[[nodiscard]] int hand_over_witness(zhandle_t* handle, pending_request& pending);

// Reads the Stat of the znode that `pending` has created.
[[nodiscard]] int hand_over_stat(zhandle_t* handle, pending_request& pending);

// The watch that a request sets if it is answered: its path, or null.
[[nodiscard]] const std::string* watch_of(const core::operation& op) noexcept;

}  // namespace turnstile::zookeeper
