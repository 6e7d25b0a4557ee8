// SPDX-License-Identifier: Apache-2.0
// completion_sweep: leaves no request in progress in the C client when a session ends.
//
// zookeeper_close() queues a completion for each unanswered request. The C client's completion thread ends as soon as
// its queue is empty, perhaps before zookeeper_close() has queued all completions. The C client then neither calls nor
// frees the later completions (ZooKeeper 3.8.0, `do_completion`, `destroy`). So the first completion must wait until
// the last completion is queued.
//
// The completion of zoo_add_auth ends this wait: zookeeper_close() itself calls that completion, after it has queued
// all others. So begin() calls zoo_add_auth, with invented credentials. They have no effect, because the session ends.
//
// Thread safety: all members from any thread. The lock guards only this object, because the C client calls the
// completion under its own locks.
#pragma once

#include <zookeeper/zookeeper.h>

#include <atomic>
#include <string_view>

#include "base/mutex.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::zookeeper {

class completion_sweep {
public:
    // Calls zoo_add_auth() with invented credentials. zookeeper_close() calls the completion of this request after it
    // has queued the completions of all other requests.
    void begin(zhandle_t* handle, const char* scheme, std::string_view credentials)
        EXCLUDES(mutex_);
    // Waits until the C client has called the completion of begin()'s request, but no longer than `limit`. Returns at
    // once if begin() was not called.
    void await(core::duration limit) EXCLUDES(mutex_);

private:
    static void on_end(int rc, const void* self);

    base::mutex mutex_;
    std::atomic<bool> under_way_{false};
    base::condition_variable ended_;
};

}  // namespace turnstile::zookeeper
