// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/completion_sweep.hpp"

namespace turnstile::zookeeper {

void completion_sweep::begin(zhandle_t* handle, const char* scheme, std::string_view credentials) {
    under_way_ = true;
    if (zoo_add_auth(handle, scheme, credentials.data(), static_cast<int>(credentials.size()),
                     on_end, this) != ZOK)
        on_end(ZINVALIDSTATE, this);
}

// Ends the wait in await(). If the server itself has answered zoo_add_auth, it has answered all earlier requests, too,
// so no completion is missing.
void completion_sweep::on_end(int /*rc*/, const void* self) {
    auto& me = *static_cast<completion_sweep*>(const_cast<void*>(self));
    {
        const base::lock_guard lock{me.mutex_};
        me.under_way_ = false;
    }
    me.ended_.notify_all();
}

void completion_sweep::await(core::duration limit) {
    if (!under_way_) return;
    base::unique_lock lock{mutex_};
    const auto until = boottime_clock::now() + limit;
    while (under_way_ && ended_.wait_until(lock, until)) {
    }
}

}  // namespace turnstile::zookeeper
