// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/last_answer.hpp"

#include "base/interruption.hpp"

namespace turnstile::zookeeper {

void last_answer::await(zhandle_t* handle, core::duration limit) {
    if (zoo_state(handle) != ZOO_CONNECTED_STATE) return;
    const base::disable_interruption uninterrupted;  // close() does not throw
    const auto until = boottime_clock::now() + limit;
    if (zoo_aexists(handle, "/", 0, on_answer, this) != ZOK) return;
    base::unique_lock lock{mutex_};
    while (!is_answered_ && answered_.wait_until(lock, until)) {
    }
}

// The C client calls this function when the server has answered the read, or when the connection ends before that.
void last_answer::on_answer(int /*rc*/, const Stat* /*stat*/, const void* self) {
    auto& me = *static_cast<last_answer*>(const_cast<void*>(self));
    {
        const base::lock_guard lock{me.mutex_};
        me.is_answered_ = true;
    }
    me.answered_.notify_all();
}

}  // namespace turnstile::zookeeper
