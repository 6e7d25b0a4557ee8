// SPDX-License-Identifier: Apache-2.0
// c_session: at its end no request in progress stays in the C client.
//
// zookeeper_close() queues a completion for each unanswered request, for its completion thread. That thread ends as
// soon as its queue is empty, perhaps before all completions are queued; later ones are never called nor freed
// (ZooKeeper 3.8.0, `do_completion`, `destroy`). So the first completion waits until the last is queued. A completion
// that zookeeper_close() itself calls, after the others, shows that: the completion of zoo_add_auth. Its credentials
// are made up; the session ends with them.
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

// The server may have answered it already; then it has answered the earlier requests as well.
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
