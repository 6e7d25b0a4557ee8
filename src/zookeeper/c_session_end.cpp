// SPDX-License-Identifier: Apache-2.0
// The part of c_session that leaves no request in progress in the C client when the session ends.
//
// zookeeper_close() queues a completion for each unanswered request. The C client's completion thread ends as soon as
// its queue is empty, perhaps before zookeeper_close() has queued all completions. The C client then neither calls nor
// frees the later completions (ZooKeeper 3.8.0, `do_completion`, `destroy`). So the first completion waits until the
// last is queued. zookeeper_close() itself calls the completion of zoo_add_auth after it has queued the others. So
// close() adds invented credentials, which end with the session, and their completion ends the wait.
#include <string_view>

#include "zookeeper/c_session.hpp"
#include "zookeeper/limits.hpp"

namespace turnstile::zookeeper {

void c_session::start_sweep() {
    constexpr std::string_view k_nobody{"closing:closing"};
    {
        const base::lock_guard lock{mutex_};
        if (pending_.with_client() == 0) return;
    }
    sweeping_ = true;
    if (zoo_add_auth(handle_, "digest", k_nobody.data(), static_cast<int>(k_nobody.size()),
                     on_swept, this) != ZOK)
        on_swept(ZINVALIDSTATE, this);
}

// Ends the wait of the first completion. If the server has answered zoo_add_auth already, it has also answered all
// earlier requests.
void c_session::on_swept(int /*rc*/, const void* self) {
    c_session& me = *static_cast<c_session*>(const_cast<void*>(self));
    {
        const base::lock_guard lock{me.sweep_mutex_};
        me.sweeping_ = false;
    }
    me.swept_.notify_all();
}

void c_session::await_sweep() {
    if (!sweeping_) return;
    base::unique_lock lock{sweep_mutex_};
    const auto until = boottime_clock::now() + k_sweep_limit;
    while (sweeping_ && swept_.wait_until(lock, until)) {
    }
}

}  // namespace turnstile::zookeeper
