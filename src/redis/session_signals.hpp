// SPDX-License-Identifier: Apache-2.0
// session_signals: wakes and stops the thread of a session.
//
// Thread safety: `wake`, `stop` and `stopped` from any thread, the other members from the session's thread.
#pragma once

#include <poll.h>

#include <array>

#include "base/wake_up.hpp"
#include "support/poll_time.hpp"

namespace turnstile::redis {

class session_signals {
public:
    void wake() noexcept { wake_.set(); }
    // Call this when the session ends. `stop_fd` then stays readable.
    void stop() noexcept { stop_.set(); }
    [[nodiscard]] bool stopped() const noexcept { return support::is_readable(stop_.fd()); }

    [[nodiscard]] int wake_fd() const noexcept { return wake_.fd(); }
    [[nodiscard]] int stop_fd() const noexcept { return stop_.fd(); }
    void clear_wake() noexcept { wake_.clear(); }
    // Waits for work. Returns false at `until`, or when the session ends.
    [[nodiscard]] bool await_work(core::time_point until) {
        while (boottime_clock::now() < until) {
            std::array<pollfd, 2> waited{{{wake_.fd(), POLLIN, 0}, {stop_.fd(), POLLIN, 0}}};
            ::poll(waited.data(), waited.size(), support::milliseconds_until(until));
            if (waited[1].revents != 0) return false;
            if (waited[0].revents == 0) continue;
            wake_.clear();
            return true;
        }
        return false;
    }

private:
    base::wake_up wake_;
    base::wake_up stop_;
};

}  // namespace turnstile::redis
