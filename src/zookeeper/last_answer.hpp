// SPDX-License-Identifier: Apache-2.0
// last_answer: waits until the server has answered the requests in progress, before a session is closed.
//
// zookeeper_close() sends the request that closes the session, and reads no answer to an earlier request. Then it
// closes the socket. If the socket still has unread answers, the kernel resets the connection. A server that sends a
// further answer after the reset closes the connection, and does not read the request that closes the session. So the
// session's znodes would stay for the session timeout.
//
// The server answers a session's requests in order, so the answer to one more request shows that no earlier answer is
// missing.
//
// Thread safety: one thread calls await().
#pragma once

#include <zookeeper/zookeeper.h>

#include "base/mutex.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::zookeeper {

class last_answer {
public:
    // Sends a read, and waits until it is answered, but no longer than `limit`. Does nothing if the handle is not
    // connected. `handle` must not be closed before this call; this object must outlive the handle.
    void await(zhandle_t* handle, core::duration limit) EXCLUDES(mutex_);

private:
    static void on_answer(int rc, const Stat* stat, const void* self);

    base::mutex mutex_;
    base::condition_variable answered_;
    bool is_answered_ GUARDED_BY(mutex_) = false;
};

}  // namespace turnstile::zookeeper
