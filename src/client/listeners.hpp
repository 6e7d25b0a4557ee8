// SPDX-License-Identifier: Apache-2.0
// listeners: the listeners to the changes of a client's sessions, and the changes that are not delivered yet.
//
// Changes are delivered in order. If a listener is slow, several undelivered changes of one session become one change.
// A change to `lost`, `auth_failed` or `closed` is always delivered. A listener gets only the changes after its
// registration. A listener that is registered after the client has closed gets the change to `closed`.
//
// Thread safety: all members from any thread. `add` only enqueues.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "client/callback_queue.hpp"
#include "turnstile/client.hpp"

namespace turnstile::detail {

class listeners : public std::enable_shared_from_this<listeners> {
public:
    using function = std::function<void(const session_change&)>;

    explicit listeners(std::shared_ptr<callback_queue> callbacks)
        : callbacks_{std::move(callbacks)} {}

    void publish(const session_change& step);
    [[nodiscard]] listener_handle add(function listener);

private:
    struct numbered_listener;
    struct numbered {
        std::uint64_t number = 0;
        session_change step;
    };

    void deliver();

    const std::shared_ptr<callback_queue> callbacks_;
    base::mutex mutex_;
    std::uint64_t published_ GUARDED_BY(mutex_) = 0;
    std::optional<session_change> closed_ GUARDED_BY(mutex_);  // the first session's last change
    std::deque<numbered> pending_ GUARDED_BY(mutex_);
    std::vector<std::weak_ptr<numbered_listener>> registered_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
